// The rows of entities that resolvers keep, as one request sees them: asked for once, and changed by what the request writes.

import { userOf } from '../engine/caller.ts';
import { suspendIn } from '../engine/flow/parts/suspension.ts';
import { checkRow } from '../engine/instances/guard.ts';
import type { Context, WriteContext } from '../engine/operation.ts';
import type { ExternalRows } from '../engine/seams.ts';
import { error } from '../errors.ts';
import type { AttributePlan, EntityPlan, RowPlan } from '../plan/plan.ts';
import { keyName } from '../plan/rows/keys.ts';
import type { Table } from '../plan/rows/table.ts';
import { pathColumn } from '../plan/rows/tables.ts';
import type { Awaitable, Row } from '../store/store.ts';
import type { AskedRows, SuppliedRows } from '../store/supplied-store.ts';
import { writeJson } from '../values/json/json.ts';
import type { Value } from '../values/value.ts';
import { type Checking, instanceOf, rowOf, rowsOf, versionOf } from './answer.ts';
import { type CallAbout, call, longestInFlow, oneOf } from './call.ts';
import type { ComposedCalls } from './compose/compose.ts';
import { questionOf } from './question.ts';
import type { Resolver } from './resolver.ts';

/** An entity that is kept elsewhere, and by whom. */
export interface Kept {
  readonly plan: EntityPlan;
  readonly resolver: Resolver;
  unknown(name: string): void;
}

type KeptRow = readonly Value[];

/** What one request has of resolvers besides the types that they keep alone. */
export interface ComposedRows {
  /** By the names of tables: stored types whose resolver is asked first by whoever reads. */
  readonly asked: ReadonlyMap<string, Kept>;
  readonly calls: ComposedCalls;
}

export class ResolvedRows implements ExternalRows {
  /** By the names of tables. */
  readonly #kept: ReadonlyMap<string, Kept>;
  readonly #composed: ComposedRows | undefined;
  readonly #context: Context;
  /** What was asked before, by the table and the question. */
  readonly #asked = new Map<string, Promise<SuppliedRows>>();
  /** By table and key: as this request has written it, or is about to; nothing where it is gone. */
  readonly #written = new Map<string, Map<string, KeptRow | undefined>>();
  #isInWorkflow = false;

  constructor(kept: ReadonlyMap<string, Kept>, context: Context, composed?: ComposedRows) {
    this.#kept = kept;
    this.#context = context;
    this.#composed = composed;
  }

  get composing(): ComposedCalls | undefined {
    return this.#composed?.calls;
  }

  enterWorkflow(): void {
    this.#isInWorkflow = true;
  }

  get transactions(): ComposedCalls | undefined {
    return this.#composed?.calls;
  }

  /** Whoever writes works on what is stored. */
  supplies({ name }: Table, isWriting: boolean): boolean {
    return this.#kept.has(name) || (!isWriting && this.#composed?.asked.has(name) === true);
  }

  rows(table: Table, asked: AskedRows | undefined): Awaitable<SuppliedRows | undefined> {
    const composed = this.#composed?.asked.get(table.name);
    return composed === undefined ? this.#keptRows(table, asked) : this.#ask(composed, asked).catch((thrown) => this.#stale(thrown));
  }

  /** Of what is stored too, the stored ones are better than none, where whoever asks is told. */
  #stale(thrown: unknown): undefined {
    const { request } = this.#context;
    if (request?.signs === undefined) throw thrown;
    request.signs.add('stale');
    return undefined;
  }

  #keptRows(table: Table, asked: AskedRows | undefined): Awaitable<SuppliedRows> {
    const kept = this.#keptIn(table);
    const written = this.#written.get(table.name);
    const key = asked === undefined ? undefined : keyAsked(kept.plan, asked);
    if (written !== undefined && key !== undefined && written.has(keyName(key))) return only(written.get(keyName(key)));
    const found = this.#ask(kept, asked);
    return written === undefined ? found : found.then((rows) => this.#withWritten(rows, kept, written));
  }

  async create(plan: RowPlan, values: readonly Value[], context: WriteContext): Promise<Row> {
    const kept = this.#keptIn(plan.table);
    const candidate = this.#note(kept, values);
    await checkRow('create', kept.plan, keyOf(kept.plan, candidate), context);
    const instance = instanceOf(plan, candidate);
    context.outside.called = true;
    const given = await call(kept.resolver, 'create', instance, { ...this.#about(plan), suspend: () => suspendIn(context) });
    return this.#take(
      kept,
      rowOf(oneOf(given, instance), this.#checking(kept, pathIn(candidate, kept))),
      keyOf(kept.plan, candidate),
      context,
    );
  }

  async update(plan: RowPlan, key: Value, changes: ReadonlyMap<AttributePlan, Value>, context: WriteContext): Promise<Row | undefined> {
    const kept = this.#keptIn(plan.table);
    const before = await this.#rowAt(kept, key);
    if (before === undefined) return undefined;
    const candidate = this.#note(
      kept,
      before.map((value, index) => changedValue(changes, plan.attributes[index], value)),
    );
    await checkRow('update', kept.plan, key, context);
    const instance = instanceOf(plan, candidate);
    context.outside.called = true;
    const given = await call(kept.resolver, 'update', instance, { ...this.#about(plan), before: instanceOf(plan, before) });
    return this.#take(kept, rowOf(oneOf(given, instance), this.#checking(kept, pathIn(candidate, kept))), key, context);
  }

  async remove(plan: RowPlan, key: Value, context: WriteContext): Promise<void> {
    const kept = this.#keptIn(plan.table);
    const before = await this.#rowAt(kept, key);
    if (before === undefined) throw error('instance-not-found');
    const instance = instanceOf(plan, before);
    context.outside.called = true;
    await call(kept.resolver, 'delete', instance, { ...this.#about(plan), before: instance });
    this.#forget(kept);
    this.#writtenIn(kept).set(keyName(key), undefined);
  }

  #ask(kept: Kept, asked: AskedRows | undefined): Promise<SuppliedRows> {
    const { plan, resolver } = kept;
    const question = questionOf(plan, asked);
    const name = `${plan.table.name} ${writeJson(question)}`;
    const known = this.#asked.get(name);
    if (known !== undefined) return known;
    const found = call(resolver, 'query', [plan.type, question], this.#about(plan)).then((given) => rowsOf(given, this.#checking(kept)));
    this.#asked.set(name, found);
    return found;
  }

  async #rowAt(kept: Kept, key: Value): Promise<KeptRow | undefined> {
    const { plan } = kept;
    const rows = await this.#keptRows(plan.table, { select: plan.shapes.byKey, values: [key] });
    return rows.find((each) => keyName(keyOf(plan, each)) === keyName(key));
  }

  /** As it is about to become, so that it can be asked whether that is allowed. */
  #note(kept: Kept, values: KeptRow): KeptRow {
    const count = kept.plan.attributes.length;
    const row = [...values.slice(0, count), versionOf(values.slice(0, count)), ...values.slice(count + 1)];
    this.#writtenIn(kept).set(keyName(keyOf(kept.plan, row)), row);
    return row;
  }

  /** What the resolver made of it; `key` is that under which it was noted. */
  async #take(kept: Kept, row: KeptRow, key: Value, context: WriteContext): Promise<Row> {
    const { plan } = kept;
    const written = this.#writtenIn(kept);
    this.#forget(kept);
    written.delete(keyName(key));
    written.set(keyName(keyOf(plan, row)), row);
    const found = await context.tx.one(plan.shapes.byKey, [keyOf(plan, row)]);
    if (found === undefined) throw new Error(`${plan.type} is not found by its own key`);
    return found;
  }

  /** What was asked before a write is no longer so. */
  #forget({ plan }: Kept): void {
    for (const name of this.#asked.keys()) if (name.startsWith(`${plan.table.name} `)) this.#asked.delete(name);
  }

  #withWritten(rows: SuppliedRows, { plan }: Kept, written: ReadonlyMap<string, KeptRow | undefined>): SuppliedRows {
    const others = rows.filter((each) => !written.has(keyName(keyOf(plan, each))));
    return [...others, ...[...written.values()].filter((each) => each !== undefined)];
  }

  #writtenIn({ plan }: Kept): Map<string, KeptRow | undefined> {
    const found = this.#written.get(plan.table.name) ?? new Map<string, KeptRow | undefined>();
    this.#written.set(plan.table.name, found);
    return found;
  }

  #keptIn({ name }: Table): Kept {
    const found = this.#kept.get(name);
    if (found === undefined) throw new Error(`no resolver keeps ${name}`);
    return found;
  }

  #about({ type }: RowPlan): CallAbout {
    const { caller, request } = this.#context;
    const left = this.#isInWorkflow ? longestInFlow : undefined;
    return { user: userOf(caller) ?? null, requestId: request?.id ?? null, signal: () => request?.signal, type, left };
  }

  #checking({ plan, unknown }: Kept, path?: string): Checking {
    return { plan, context: this.#context, unknown, path };
  }
}

function changedValue(changes: ReadonlyMap<AttributePlan, Value>, attribute: AttributePlan | undefined, value: Value): Value {
  return attribute !== undefined && changes.has(attribute) ? (changes.get(attribute) ?? null) : value;
}

/** Of what is contained. */
function pathIn(row: KeptRow, { plan }: Kept): string | undefined {
  const path = row[plan.table.columns.findIndex((each) => each.name === pathColumn)];
  return typeof path === 'string' ? path : undefined;
}

function only(row: KeptRow | undefined): SuppliedRows {
  return row === undefined ? [] : [row];
}

function keyOf(plan: RowPlan, row: KeptRow): Value {
  return row[plan.table.columns.findIndex((each) => each.name === plan.key)] ?? null;
}

/** The key that a statement asks for, where it asks for one row. */
function keyAsked(plan: RowPlan, { select: { where }, values }: AskedRows): Value | undefined {
  const first = where.kind === 'and' ? where.conditions[0] : where;
  const isKey = first?.kind === 'compare' && first.column === plan.key && first.operator === 'eq' && first.value === undefined;
  return isKey ? values[0] : undefined;
}
