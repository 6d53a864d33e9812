// Brings stored values up to date at start: attributes that are new, or computed in another way than when they were stored.

import { PlatformError } from '../errors.ts';
import type { Value } from '../model/types/attribute-type.ts';
import type { DerivedAttribute, DerivedGroup } from '../plan/derived.ts';
import { pagesOf } from '../plan/transfer.ts';
import { recall, remember } from '../store/migration-state.ts';
import { settle, touch } from './derived.ts';
import type { Context } from './operation.ts';
import { within } from './within.ts';

/** Under this name the store remembers what each attribute was computed from. */
const place = 'computed';

export async function bringUpToDate(context: Context): Promise<void> {
  const { plan, store } = context;
  const known = await store.schema((session) => recall(session, place));
  const definitions = definitionsOf(plan.derived?.groups ?? []);
  const wanted = JSON.stringify(definitions);
  if ((known ?? '{}') === wanted) return;
  const stored = entriesOf(known ?? '{}');
  for (const group of plan.derived?.groups ?? []) {
    const outdated = group.attributes.filter((each) => stored.get(nameOf(group, each)) !== each.definition);
    if (outdated.length > 0) await computeAll(group, outdated, context);
  }
  // Not before all of it is done: where it is cut off, the next start begins anew.
  await store.schema((session) => remember(session, place, wanted));
}

function definitionsOf(groups: readonly DerivedGroup[]): Readonly<Record<string, string>> {
  const all = groups.flatMap((group) => group.attributes.map((each) => [nameOf(group, each), each.definition] as const));
  return Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function nameOf({ plan }: DerivedGroup, { plan: { name } }: DerivedAttribute): string {
  return `${plan.type}.${name}`;
}

function entriesOf(json: string): ReadonlyMap<string, unknown> {
  const value: unknown = JSON.parse(json);
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

/** So many rows share a transaction. */
const together = 200;

async function computeAll(group: DerivedGroup, attributes: readonly DerivedAttribute[], context: Context): Promise<void> {
  const { first, next } = pagesOf(group.plan.table, []);
  let last: Value | undefined;
  for (;;) {
    const rows = await context.store.read((reader) =>
      last === undefined ? reader.rows(first, [together]) : reader.rows(next, [last, together]),
    );
    const keys = rows.map((row) => row.columns[0] ?? null);
    if (keys.length > 0) await computeRows(group, attributes, keys, context);
    if (keys.length < together) return;
    last = keys.at(-1);
  }
}

const mostTries = 25;

/** Another process may serve meanwhile: what got in its way is done again. */
async function computeRows(
  group: DerivedGroup,
  attributes: readonly DerivedAttribute[],
  keys: readonly Value[],
  context: Context,
): Promise<void> {
  const affected = attributes.map((attribute) => ({ group, attribute }));
  for (let tries = 1; ; tries += 1) {
    try {
      return await context.store.write(async (tx) => {
        const writing = within(context, tx);
        for (const key of keys) touch(key, affected, writing);
        await settle(writing);
      });
    } catch (thrown) {
      if (!(thrown instanceof PlatformError && thrown.again) || tries >= mostTries) throw thrown;
    }
  }
}
