// `platform resolvers`: what is pending is read beside a service that runs; to settle it, the resolvers of the project are asked from here.

import { systemClock } from '../../clock.ts';
import { OwnTable } from '../../engine/own-table.ts';
import { PlatformError } from '../../errors.ts';
import { pendingCall } from '../../model/builtin.ts';
import { compile } from '../../plan/compile.ts';
import { storedJson } from '../../resolvers/compose/intentions.ts';
import type { Resolvers } from '../../resolvers/resolvers.ts';
import { ResolverRoom } from '../../resolvers/room.ts';
import { readSnapshot } from '../../store/snapshot.ts';
import { StartRefused } from '../../store/store.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Values } from '../../values/value.ts';
import { withEngine } from '../engine.ts';
import { load, type Ready } from '../load.ts';
import { counted, printable, report } from '../report.ts';
import type { Terminal } from '../terminal.ts';

interface OfProject {
  readonly config?: string;
}

export async function pending(path: string, options: OfProject & { readonly json?: boolean }, terminal: Terminal): Promise<number> {
  const ready = await read(path, options, terminal, false);
  if (ready === undefined) return 1;
  const plan = compile(ready.model);
  const entity = plan.entities.get(pendingCall);
  if (entity === undefined) throw new StartRefused('No resolver of this project composes.');
  const rows = await readSnapshot({ settings: ready.settings.store, clock: systemClock(), tables: plan.tables }, (reader) =>
    new OwnTable(entity.table).all(reader, {}),
  );
  const shown = ['id', 'resolver', 'operation', 'type', 'instance', 'since', 'attempts', 'error'];
  if (options.json === true) terminal.out(writeJson(rows.map((row) => fieldsOf(row, shown))));
  else {
    for (const row of rows) terminal.out(shown.map((name) => printable(String(row[name] ?? ''))).join('  '));
    terminal.err(counted(rows.length, 'call is pending', 'calls are pending'));
  }
  return 0;
}

/** With what was told: an event has no name that would say which one it was. */
function fieldsOf(row: Values, shown: readonly string[]): Values {
  const plain = Object.fromEntries(shown.map((name) => [name, row[name] ?? null]));
  return { ...plain, before: storedJson(row['before']), after: storedJson(row['after']) };
}

export async function settle(
  id: string,
  path: string,
  options: OfProject & { readonly discard?: boolean },
  terminal: Terminal,
): Promise<number> {
  const ready = await read(path, options, terminal, true);
  if (ready === undefined) return 1;
  const { settings, model, project } = ready;
  const warn = (_: object, line: string): void => terminal.err(`platform: ${line}`);
  const log = { debug: () => {}, info: () => {}, warn, error: warn };
  const plan = compile(model, { identified: settings.auth !== undefined });
  const opened: { room?: ResolverRoom; resolvers?: Resolvers } = {};
  try {
    return await withEngine(
      ready,
      plan,
      terminal,
      async ({ engine }) => {
        const settler = opened.resolvers?.settler;
        if (settler === undefined) throw new StartRefused('No resolver of this project composes.');
        settler.attach(engine);
        const found = (await settler.pending()).find((each) => each.id === id);
        if (found === undefined) throw new StartRefused(`There is nothing pending with the identifier ${id}.`);
        if (options.discard === true) await settler.discard(found);
        else await settled(() => settler.settle(found));
        terminal.out(`${id} is ${options.discard === true ? 'struck out' : 'settled'}`);
        return 0;
      },
      async (store, functions, clock) => {
        const flowTime = settings.service.limits.flow.time;
        opened.room = new ResolverRoom({
          settings: settings.resolvers,
          store,
          storeSettings: settings.store,
          clock,
          folder: project.folder,
          flowTime,
          log,
        });
        opened.resolvers = opened.room.open(model, () => functions);
        return { external: await opened.resolvers.external(plan), handlers: opened.resolvers.handlers };
      },
    );
  } finally {
    await opened.room?.close();
  }
}

async function settled(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const why =
      thrown instanceof PlatformError ? `${thrown.code}: ${thrown.message}` : thrown instanceof Error ? thrown.message : 'it failed';
    throw new StartRefused(`It cannot be settled now: ${why}`, thrown);
  }
}

async function read(path: string, { config }: OfProject, terminal: Terminal, keepsStoreId: boolean): Promise<Ready | undefined> {
  const { model, diagnostics, sources, ...rest } = await load({ path, config, keepsStoreId }, terminal);
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  return model === undefined ? undefined : { model, diagnostics, sources, ...rest };
}
