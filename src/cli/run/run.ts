// `platform run`: serves a project until a signal ends it; with `--watch` it takes up every change.

import { systemClock } from '../../clock.ts';
import type { Settings } from '../../config/config.ts';
import { createLog, type Log } from '../../http/server/log.ts';
import type { ResolverSettings } from '../../resolvers/resolver.ts';
import { isMigrationRefusal } from '../../store/migration/diff/refusal.ts';
import { StartRefused } from '../../store/store.ts';
import { type Loaded, type LoadOptions, load, loadText, type Ready } from '../load.ts';
import { keepLock } from '../lock-file.ts';
import { refusal } from '../refusal.ts';
import { contentOf, report, shownPath } from '../report.ts';
import { type Terminal, withProgress } from '../terminal.ts';
import { hints } from './hints.ts';
import { openService, type Service } from './service.ts';

export interface RunOptions {
  readonly config?: string;
  readonly port?: number;
  readonly host?: string;
  readonly watch?: boolean;
  /** Tells requests that ask for it how long the steps of their workflow took. */
  readonly trace?: boolean;
  /** How many processes serve it, where the store lets several in. */
  readonly workers?: number;
  /** Does not start where agents have no language model. */
  readonly requireLlm?: boolean;
  /** Shows the calls to try even where nobody seems to be looking. */
  readonly hints?: boolean;
  /** A resolver whose calls are recorded into a file, or which such a file stands in for. */
  readonly resolver?: Pick<ResolverSettings, 'name' | 'record' | 'fake'>;
}

export async function run(path: string, options: RunOptions, terminal: Terminal): Promise<number> {
  if (options.watch === true && terminal.embedded !== undefined) {
    terminal.err('platform: the model of a built application does not change; --watch is for platform run');
    return 2;
  }
  if (options.workers !== undefined && options.watch === true) {
    terminal.err('platform: --watch takes up changes in one process; run it without --workers');
    return 2;
  }
  const workers = options.workers === undefined ? undefined : await import('./workers.ts');
  const crew = workers?.crewOf();
  const signal = firstSignal(terminal, crew?.dismissed);
  const loaded = usable(await withProgress(terminal, 'Reading the model', () => read(path, options, terminal)), terminal);
  if (loaded === undefined) return 1;
  if (options.workers !== undefined && crew === undefined) return leadWorkers(options.workers, loaded, signal, terminal);
  if (workers !== undefined && crew?.servesAsLed(loaded.sources) === false) {
    terminal.err('platform: the model was changed since the service was started, which serves it as it was; start it anew');
    return workers.changedCode;
  }
  const { level, format } = loaded.settings.log;
  const log = await createLog({
    level,
    pretty: format === 'auto' ? terminal.isTerminal : format === 'pretty',
    colours: terminal.colours.isColorSupported,
  });
  process.on('exit', () => log.flush());
  // A function of the application may leave a promise behind that nobody waits for: that must not end the service for everybody.
  process.on('unhandledRejection', (reason) => log.error({ err: reason }, 'a promise was rejected that nobody waited for'));
  const service = await withProgress(terminal, 'Starting', () =>
    openService(loaded, log, { ...options, newest: async () => (await loadText(readOptions(path, options), terminal)).model }),
  );
  // Before anything is said: whoever reads the address may change a file at once.
  const watcher = options.watch === true ? await openWatcher(path, options, loaded, service, log, terminal) : undefined;
  if (crew?.isFirst !== false) greet(loaded, service, options, terminal);
  log.info({ name: loaded.project.name, version: loaded.project.version, addresses: service.addresses }, 'listening');
  if (crew?.isFirst !== false) await lockBeside(loaded, service, log, terminal);
  await signal;
  await watcher?.close();
  return drain(service, terminal);
}

/** The model was read here only to be refused once, and not by each worker. */
async function leadWorkers(count: number, { settings, sources }: Ready, signal: Promise<void>, terminal: Terminal): Promise<number> {
  if (settings.store.type === 'sqlite') {
    terminal.err('platform: the embedded store belongs to one process; --workers needs a store of type postgres');
    return 1;
  }
  const { lead } = await import('./workers.ts');
  return lead(count, sources, signal, terminal);
}

/** The project with the flags put over its settings. */
async function read(path: string, options: RunOptions, terminal: Terminal): Promise<Loaded> {
  const loaded = await load({ path, config: options.config, keepsStoreId: true, asksServers: true }, terminal);
  const { resolver } = options;
  if (resolver !== undefined && loaded.model !== undefined && !loaded.model.resolvers.has(resolver.name))
    throw new StartRefused(`The project has no resolver ${resolver.name}.`);
  return { ...loaded, settings: withFlags(loaded.settings, options) };
}

function readOptions(path: string, { config }: RunOptions): LoadOptions {
  return { path, config, keepsStoreId: true };
}

/** Tells what is wrong with a project; nothing comes back when that includes errors. */
function usable(loaded: Loaded, terminal: Terminal): Ready | undefined {
  const { model, diagnostics, sources } = loaded;
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  return model === undefined ? undefined : { ...loaded, model };
}

function withFlags(settings: Settings, { port, host, resolver }: RunOptions): Settings {
  const service = { ...settings.service, port: port ?? settings.service.port, host: host ?? settings.service.host };
  if (resolver === undefined) return { ...settings, service };
  const said = settings.resolvers.find((each) => each.name === resolver.name);
  return { ...settings, service, resolvers: [...settings.resolvers.filter((each) => each !== said), { ...said, ...resolver }] };
}

function greet({ project, model, settings }: Ready, service: Service, options: RunOptions, terminal: Terminal): void {
  const { colours } = terminal;
  const addresses = service.addresses.join('  ');
  if (!terminal.isTerminal && options.hints !== true) {
    terminal.out(`${project.name} ${project.version} at ${addresses}`);
    return;
  }
  const { auth } = settings;
  const calls = hints(model, {
    address: service.addresses[0] ?? '',
    surface: settings.service.surfaces[0] ?? 'current',
    auth: auth && { signup: auth.signup, confirm: auth.confirm ?? auth.mail !== undefined },
    uuid: systemClock().uuid,
  });
  const store = settings.store.type === 'sqlite' ? shownPath(settings.store.file, terminal.folder) : settings.store.type;
  terminal.out(
    [
      `${colours.bold(project.name)} ${project.version}`,
      `  address  ${colours.cyan(addresses)}`,
      `  model    ${contentOf(model)}`,
      `  data     ${store}`,
      ...(calls.length === 0 ? [] : ['', 'Try:', ...calls.map((call) => `  ${call}`)]),
      '',
    ].join('\n'),
  );
}

async function openWatcher(path: string, options: RunOptions, loaded: Ready, service: Service, log: Log, terminal: Terminal) {
  const { watch } = await import('./watch.ts');
  const readAgain = () => loadText(readOptions(path, options), terminal);
  const isChanged = async () => JSON.stringify((await readAgain()).sources) !== JSON.stringify(loaded.sources);
  return watch(loaded.project, isChanged, async () => {
    const stays = 'the model is served as it was';
    try {
      const next = usable(await read(path, options, terminal), terminal);
      if (next === undefined) return terminal.err(`platform: the change has errors; ${stays}`);
      await service.renew(next);
      log.info({ entities: next.model.entities.size, addresses: service.addresses }, 'the change is live');
      await lockBeside(next, service, log, terminal);
    } catch (thrown) {
      const line = refusal(thrown);
      const way = isMigrationRefusal(thrown) ? `; where it is meant, stop the service, run platform migrate apply, and start it again` : '';
      terminal.err(`platform: ${line?.replace(/\.$/, '') ?? 'the change failed'}; ${stays}${way}`);
      if (line === undefined) log.error({ err: thrown }, 'reload failed');
    }
  });
}

/** A built application has no model beside it that a lock could be for. */
async function lockBeside({ project }: Ready, service: Service, log: Log, { embedded }: Terminal): Promise<void> {
  const fault = embedded === undefined ? await keepLock(project, (known) => service.lock(known)) : undefined;
  if (fault !== undefined) log.warn({}, fault);
}

/** Longer than the service itself waits for the requests under way. */
const drainMs = 11_000;

async function drain(service: Service, terminal: Terminal): Promise<number> {
  const late = new Promise<number>((resolve) => setTimeout(resolve, drainMs, 1).unref());
  const code = await Promise.race([service.close().then(() => 0), late]);
  if (code !== 0) terminal.err('platform: stopped before all requests were answered');
  return code;
}

/** Resolves at the first signal, also when that comes during the start; a second one ends the process at once. */
function firstSignal(terminal: Terminal, dismissed?: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    dismissed?.then(resolve);
    let isFirst = true;
    const arrive = () => {
      if (!isFirst) {
        terminal.err('platform: stopped before all requests were answered');
        process.exit(1);
      }
      isFirst = false;
      resolve();
    };
    process.on('SIGINT', arrive).on('SIGTERM', arrive);
  });
}
