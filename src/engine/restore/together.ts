// Puts back instances that point at each other: all of them first without their references, which they get when everything stands.

import { type Fault, invalid } from '../../errors.ts';
import type { AttributePlan, EntityPlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { versionColumn } from '../../plan/rows/tables.ts';
import type { Reader, Writer } from '../../store/store.ts';
import { canonicalJson } from '../../values/json/canonical.ts';
import type { Value } from '../../values/value.ts';
import { compute } from '../computed/computed.ts';
import { rowChanged } from '../computed/related-computed.ts';
import { inTransaction } from '../context.ts';
import { checkReferences, isHeld } from '../draft/references.ts';
import type { Context } from '../operation.ts';
import type { Draft } from '../row.ts';
import { recorded } from '../rows/record.ts';
import { setColumns } from '../rows/rows.ts';
import {
  atVersion,
  draftsOf,
  insertPlaced,
  type Note,
  type Restored,
  type RestoreItem,
  type RestoreParts,
  refusalOf,
  restoring,
  settleAll,
} from './restore.ts';

/** In one transaction. Links wait: they come after what they link; and so does what points at nothing still. */
export async function restoreTogether(
  items: readonly RestoreItem[],
  parts: RestoreParts,
  note: Note = () => {},
): Promise<readonly Restored[]> {
  const context = restoring(parts);
  const results = new Map<number, Restored>();
  const drafts: Candidate[] = [];
  for (const [index, draft] of (await draftsOf(items, context)).entries()) {
    if ('kind' in draft) results.set(index, draft);
    else if (draft.plan.kind === 'entity') drafts.push({ index, draft, plan: draft.plan, body: items[index]?.body ?? null });
  }
  let open: readonly Candidate[] = drafts;
  for (let refused = true; refused; ) {
    const work = async (tx: Writer): Promise<ReadonlyMap<number, Restored>> => {
      const attempted = await attempt(open, tx, context);
      await note(inPlace(items, new Map([...results, ...attempted])), tx);
      return attempted;
    };
    const found = await parts.store.write((tx) => recorded(() => work(tx), inTransaction(context, tx)));
    for (const [index, result] of found) results.set(index, result);
    open = open.filter(({ index }) => !results.has(index));
    refused = [...found.values()].some((each) => each.kind !== 'added');
  }
  return inPlace(items, results);
}

function inPlace(items: readonly RestoreItem[], results: ReadonlyMap<number, Restored>): readonly Restored[] {
  return items.map((_, index) => results.get(index) ?? { kind: 'waits', reason: 'what it points at is not there' });
}

interface Candidate {
  readonly index: number;
  readonly draft: Draft;
  readonly plan: EntityPlan;
  readonly body: Value;
}

/** All that can stand together; or what of it did not fit, and nothing is put back: the next attempt is without that. */
async function attempt(open: readonly Candidate[], tx: Writer, context: Context): Promise<ReadonlyMap<number, Restored>> {
  const refused = new Map<number, Restored>();
  const placed: Placed[] = [];
  try {
    await tx.attempt(async () => {
      await placeAll(await closed(open, tx), placed, refused, tx, context);
      for (const each of placed) await pointAgain(each, refused, tx, context);
      if (refused.size > 0) throw new TakenBack();
      await settleAll(tx, context);
    });
  } catch (thrown) {
    if (thrown instanceof TakenBack) return refused;
    throw thrown;
  }
  return new Map(placed.map(({ candidate }) => [candidate.index, { kind: 'added' }]));
}

/** Ends an attempt: what was put back goes again. */
class TakenBack extends Error {}

interface Placed {
  readonly candidate: Candidate;
  /** What is stored: without references and what is computed, with the numbers that were counted up. */
  readonly values: Value[];
  readonly key: Value;
}

/** Again and again while it goes on: a parent may be among them. */
async function placeAll(
  candidates: readonly Candidate[],
  placed: Placed[],
  refused: Map<number, Restored>,
  tx: Writer,
  context: Context,
): Promise<void> {
  let waiting = candidates;
  for (let before = waiting.length + 1; waiting.length > 0; ) {
    const left: Candidate[] = [];
    for (const candidate of waiting) {
      const result = await place(candidate, tx, context);
      if ('key' in result) placed.push(result);
      else if (result.kind === 'waits' && waiting.length < before) left.push(candidate);
      else refused.set(candidate.index, result);
    }
    [before, waiting] = [waiting.length, left];
  }
}

async function place(candidate: Candidate, tx: Writer, context: Context): Promise<Placed | Restored> {
  const { plan, draft, body } = candidate;
  const given = isObject(body) ? body : {};
  const values = draft.values.map((value, index) => (isLate(plan, plan.attributes[index]) ? null : value));
  const bare: Draft = { ...draft, plan: { ...plan, computed: [] }, values };
  try {
    const writing = inTransaction(atVersion(context, given[versionColumn]), tx);
    return { candidate, values, key: await tx.attempt(() => insertPlaced(plan, bare, given, writing)) };
  } catch (thrown) {
    return refusalOf(thrown);
  }
}

/** A reference; one that is the identifier is needed from the beginning. */
function isLate({ identifier }: EntityPlan, attribute: AttributePlan | undefined): boolean {
  return attribute?.target !== undefined && attribute !== identifier;
}

async function pointAgain({ candidate, values, key }: Placed, refused: Map<number, Restored>, tx: Writer, context: Context): Promise<void> {
  const { plan, draft, index } = candidate;
  const late = plan.attributes.filter((each) => isLate(plan, each) || each.attribute.expression !== undefined);
  if (late.length === 0) return;
  for (const [at, each] of plan.attributes.entries()) if (isLate(plan, each)) values[at] = draft.values[at] ?? null;
  const faults: Fault[] = [];
  try {
    compute(plan, values, context);
    await checkReferences({ ...draft, plan, values }, faults, tx);
    if (faults.length > 0) throw invalid(faults);
    const columns = Object.fromEntries(late.map((each) => [each.column, values[plan.attributes.indexOf(each)] ?? null]));
    await tx.attempt(() => setColumns(plan, key, columns, inTransaction(context, tx)));
    const names = late.map((each) => each.name);
    await rowChanged(plan, key, names, inTransaction(context, tx));
  } catch (thrown) {
    refused.set(index, refusalOf(thrown));
  }
}

/** Those of which every reference leads to something stored, or to another of them. */
async function closed(candidates: readonly Candidate[], reader: Reader): Promise<readonly Candidate[]> {
  const targets = new Set(
    candidates.flatMap(({ plan }) => plan.attributes.flatMap(({ target }) => (target === undefined ? [] : [nameOf(target)]))),
  );
  const givers = new Map<string, number>();
  for (const each of candidates) for (const name of givenBy(each, targets)) givers.set(name, (givers.get(name) ?? 0) + 1);
  const takers = new Map<string, Candidate[]>();
  const without: Candidate[] = [];
  for (const each of candidates) {
    const names = await lackedBy(each, reader);
    for (const name of names) takers.set(name, [...(takers.get(name) ?? []), each]);
    if (names.some((name) => !givers.has(name))) without.push(each);
  }
  const gone = new Set<Candidate>();
  for (let each = without.pop(); each !== undefined; each = without.pop()) {
    if (gone.has(each)) continue;
    gone.add(each);
    for (const name of givenBy(each, targets)) {
      const count = (givers.get(name) ?? 0) - 1;
      givers.set(name, count);
      if (count === 0) without.push(...(takers.get(name) ?? []));
    }
  }
  return candidates.filter((each) => !gone.has(each));
}

/** What others can point at it by. */
function givenBy({ plan, draft }: Candidate, targets: ReadonlySet<string>): readonly string[] {
  const own = plan.attributes.map(
    (each, index) => [nameOf({ entity: plan.type, attribute: each.name }), draft.values[index] ?? null] as const,
  );
  return own.filter(([name]) => targets.has(name)).map(([name, value]) => `${name} ${canonicalJson(value)}`);
}

/** What it points at that is not stored. */
async function lackedBy({ plan, draft }: Candidate, reader: Reader): Promise<readonly string[]> {
  const lacked: string[] = [];
  for (const [index, attribute] of plan.attributes.entries()) {
    const { target } = attribute;
    const value = draft.values[index] ?? null;
    if (target === undefined || value === null || (draft.restored === true && !isHeld(plan, attribute))) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      if ((await reader.one(target.exists, [each])) === undefined) lacked.push(`${nameOf(target)} ${canonicalJson(each)}`);
    }
  }
  return lacked;
}

function nameOf({ entity, attribute }: { readonly entity: string; readonly attribute: string }): string {
  return `${entity}.${attribute}`;
}
