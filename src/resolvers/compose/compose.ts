// Calls of composing resolvers in the transactions of one request: each is written down before it is made, struck out after the commit, and undone
// by the inverse handler where what follows it fails.

import { userOf } from '../../engine/caller.ts';
import type { Context, WriteContext } from '../../engine/operation.ts';
import type { Composing, NewPlace } from '../../engine/seams.ts';
import { error, isError } from '../../errors.ts';
import type { TypeName } from '../../model/model.ts';
import type { AttributePlan, RowPlan } from '../../plan/plan.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Row, Store, Writer } from '../../store/store.ts';
import type { TransactionListener } from '../../store/supplied-store.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import { instanceOf, rowOf, versionOf } from '../answer.ts';
import { type CallAbout, call, evaluate, longestInFlow, oneOf } from '../call.ts';
import { visible } from '../recorded/recorded.ts';
import type { ComposedMethod, Resolver } from '../resolver.ts';
import {
  byName,
  type Composed,
  differences,
  keyOf,
  keyOfInstance,
  lockName,
  movedKeys,
  refuseOtherKey,
  rowThere,
  storedRow,
  type TableRow,
  taken,
} from './composed.ts';
import type { Intention, Intentions } from './intentions.ts';
import type { Settler } from './settler.ts';

export interface ComposeParts {
  /** By the names of types. */
  readonly composed: ReadonlyMap<string, Composed>;
  /** By their names. */
  readonly events: ReadonlyMap<TypeName, ComposedEvent>;
  readonly intentions: Intentions;
  readonly settler: Settler;
  /** Past what resolvers have. */
  readonly store: Store;
}

/** An event of which resolvers are told before its workflow runs. */
export interface ComposedEvent {
  /** In the order of the text. */
  readonly resolvers: readonly Resolver[];
  /** Names of attributes that are written down nowhere. */
  readonly hidden: ReadonlySet<string>;
}

interface MadeCall {
  /** Absent for an event. */
  readonly composed: Composed | undefined;
  readonly resolver: Resolver;
  intention: Intention;
  /** `unknown` where it failed and may have been done all the same; `late` where it may still be done. */
  state: 'made' | 'refused' | 'unknown' | 'late';
}

interface Left {
  readonly intention: Intention;
  readonly why: unknown;
}

/** Of one transaction. */
interface Calls {
  readonly made: MadeCall[];
  /** Undone, or never done. */
  readonly struck: string[];
  /** What could not be undone. */
  readonly left: Left[];
  /** What may still be done by the other system. */
  readonly late: Intention[];
}

export class ComposedCalls implements Composing, TransactionListener {
  readonly #parts: ComposeParts;
  readonly #context: Context;
  readonly #calls = new WeakMap<Writer, Calls>();

  constructor(parts: ComposeParts, context: Context) {
    this.#parts = parts;
    this.#context = context;
  }

  versionOf(plan: RowPlan, { json }: Row): number {
    const stored = parseStored(json);
    return versionOf(plan.attributes.map((each) => stored[each.name] ?? null));
  }

  async create(plan: RowPlan, values: readonly Value[], context: WriteContext): Promise<readonly Value[]> {
    const composed = this.#composed(plan);
    const key = keyOf(plan, values);
    await this.#lock(plan, key, context);
    await this.#refuseTaken(plan, key, context);
    let row: TableRow = values;
    for (const resolver of composed.resolvers) {
      if (resolver.handlers.create === undefined) continue;
      const instance = instanceOf(plan, row);
      const { made, given } = await this.#call(composed, resolver, 'create', null, instance, context);
      row = taken(plan, row, rowOf(oneOf(given, instance), this.#checking(composed, row)));
      made.intention = { ...made.intention, after: instanceOf(plan, row) };
    }
    return row;
  }

  async update(
    plan: RowPlan,
    key: Value,
    changes: ReadonlyMap<AttributePlan, Value>,
    context: WriteContext,
  ): Promise<ReadonlyMap<AttributePlan, Value>> {
    const composed = this.#composed(plan);
    await this.#lock(plan, key, context);
    const before = await storedRow(plan, key, context.tx);
    if (before === undefined) return changes;
    const wanted = before.map((value, index) => changedValue(changes, plan.attributes[index], value));
    const row = await this.#updateAll(composed, before, wanted, key, context);
    return new Map([...changes, ...differences(plan, before, row)]);
  }

  /** An update that leaves its attributes as they are, and has another `__path__`. */
  async move(plan: RowPlan, key: Value, to: NewPlace, context: WriteContext): Promise<ReadonlyMap<AttributePlan, Value>> {
    const composed = this.#composed(plan);
    for (const each of [key, to.key].toSorted(byName)) await this.#lock(plan, each, context);
    await this.#refuseTaken(plan, to.key, context);
    const before = await storedRow(plan, key, context.tx);
    if (before === undefined) return new Map();
    const columns = plan.table.columns.map((each) => each.name);
    const wanted = before.map((value, index) => (columns[index] === plan.key ? to.key : columns[index] === pathColumn ? to.path : value));
    return differences(plan, before, await this.#updateAll(composed, before, wanted, to.key, context));
  }

  /** Each resolver gets what the one before gave. */
  async #updateAll(composed: Composed, before: TableRow, wanted: TableRow, key: Value, context: WriteContext): Promise<TableRow> {
    const { plan } = composed;
    let row = wanted;
    for (const resolver of composed.resolvers) {
      if (resolver.handlers.update === undefined) continue;
      const instance = instanceOf(plan, row);
      const { made, given } = await this.#call(composed, resolver, 'update', instanceOf(plan, before), instance, context);
      row = taken(plan, row, rowOf(oneOf(given, instance), this.#checking(composed, row)));
      refuseOtherKey(plan, key, row);
      made.intention = { ...made.intention, after: instanceOf(plan, row) };
    }
    return row;
  }

  async remove(plan: RowPlan, key: Value, context: WriteContext): Promise<void> {
    const composed = this.#composed(plan);
    await this.#lock(plan, key, context);
    const before = await storedRow(plan, key, context.tx);
    if (before === undefined) return;
    for (const resolver of composed.resolvers)
      if (resolver.handlers.delete !== undefined) await this.#call(composed, resolver, 'delete', instanceOf(plan, before), null, context);
  }

  /** There is no handler that undoes an event: where what follows it fails, the call is shown as pending. */
  async evaluate(event: TypeName, values: Values, context: WriteContext): Promise<Value> {
    const { resolvers = [], hidden = new Set<string>() } = this.#parts.events.get(event) ?? {};
    let given: Value = null;
    for (const resolver of resolvers) {
      resolver.check?.(event, values);
      const intended = { resolver, type: event, operation: 'eval', before: null, after: visible(values, hidden) } as const;
      const made = await this.#intend(intended, undefined, context);
      given = await noted(made, evaluate(resolver, event, values, context));
    }
    return given;
  }

  mark(writer: Writer): number {
    return this.#calls.get(writer)?.made.length ?? 0;
  }

  async undo(writer: Writer, mark: number): Promise<void> {
    const calls = this.#calls.get(writer);
    for (const each of calls?.made.splice(mark).reverse() ?? []) await this.#undoOne(each, calls ?? nothing());
  }

  ended(writer: Writer, isCommitted: boolean): Promise<void> | undefined {
    const calls = this.#calls.get(writer);
    if (calls === undefined) return undefined;
    this.#calls.delete(writer);
    return this.#finish(calls, isCommitted);
  }

  /** A failure here is no failure of the request: what stays written down is settled at the next start. */
  async #finish({ made, struck, left, late }: Calls, isCommitted: boolean): Promise<void> {
    const { settler } = this.#parts;
    // Where a commit fails nobody knows what became of it: what the other system has is then what counts.
    const isDone = ({ state }: MadeCall): boolean => isCommitted && state === 'made';
    await settler.strike([...struck, ...made.filter(isDone).map(({ intention }) => intention.id)]);
    await settler.keep(left);
    settler.later([...late, ...made.filter((each) => !isDone(each)).map(({ intention }) => intention)]);
  }

  async #call(
    composed: Composed,
    resolver: Resolver,
    operation: ComposedMethod,
    before: Value,
    after: Value,
    context: WriteContext,
  ): Promise<{ readonly made: MadeCall; readonly given: Value }> {
    const { plan } = composed;
    const made = await this.#intend({ resolver, type: plan.type, operation, before, after }, composed, context);
    context.outside.called = true;
    const about = { ...this.#about(plan), ...(before === null ? {} : { before }), left: context.running && longestInFlow };
    return { made, given: await noted(made, call(resolver, operation, after ?? before, about)) };
  }

  /** Written down when it resolves. */
  async #intend({ resolver, ...intended }: Intended, composed: Composed | undefined, { clock, tx }: WriteContext): Promise<MadeCall> {
    const since = clock.now().getTime();
    const due = since + this.#parts.settler.patience(resolver);
    const intention = { id: clock.uuid(), resolver: resolver.name, ...intended, since, due };
    await this.#parts.intentions.add(intention);
    const made: MadeCall = { composed, resolver, intention, state: 'unknown' };
    this.#callsIn(tx).made.push(made);
    return made;
  }

  async #undoOne(made: MadeCall, { struck, left, late }: Calls): Promise<void> {
    const { intention, state, composed } = made;
    if (composed === undefined) {
      if (state === 'refused') struck.push(intention.id);
      else left.push({ intention, why: new Error(state === 'made' ? eventDone : eventUnknown) });
      return;
    }
    if (state === 'late') {
      late.push(intention);
      return;
    }
    try {
      if (state === 'made' || (state === 'unknown' && (await this.#isDone(made, composed)))) await this.#inverse(made, composed);
      struck.push(intention.id);
    } catch (why) {
      left.push({ intention, why });
    }
  }

  /** Whether a call that failed was done all the same. */
  async #isDone({ resolver, intention }: MadeCall, composed: Composed): Promise<boolean> {
    const { plan, unknown } = composed;
    const { before, after } = intention;
    if (resolver.handlers.query === undefined) throw new Error('the call failed, and without query nobody knows whether it was done');
    const isMove = movedKeys(plan, intention) !== undefined;
    const asked = keyOfInstance(plan, isMove ? after : (before ?? after));
    const there = await rowThere(composed, resolver, asked, this.#about(plan), this.#context);
    if (isMove) return there !== undefined;
    if (there === undefined || before === null) return (there === undefined) !== (before === null);
    const was = rowOf(before, { plan, context: this.#context, unknown, path: undefined });
    return differences(plan, was, there).size > 0;
  }

  async #inverse({ resolver, intention }: MadeCall, composed: Composed): Promise<void> {
    const { operation, before, after } = intention;
    if (operation === 'eval') throw new Error(eventDone);
    const inverse = inverses[operation];
    if (resolver.handlers[inverse] === undefined) throw new Error(`it cannot be undone: there is no handler for ${inverse}`);
    const about = { ...this.#about(composed.plan), ...(after === null ? {} : { before: after }), signal: () => undefined };
    try {
      await call(resolver, inverse, operation === 'create' ? after : before, about);
    } catch (thrown) {
      // What is not there need not be removed.
      if (!(inverse === 'delete' && isError(thrown, 'resolver-refused') && thrown.details.response?.status === 404)) throw thrown;
    }
  }

  /** Of several at once on one instance, each sees what became of the one before. */
  async #lock(plan: RowPlan, key: Value, { tx }: WriteContext): Promise<void> {
    await tx.alone(lockName(plan, key), plan.table.name);
  }

  /** Before anybody is told: to undo it would be to remove the one that is there. */
  async #refuseTaken(plan: RowPlan, key: Value, { tx }: WriteContext): Promise<void> {
    const { store, intentions } = this.#parts;
    const isThere =
      (await tx.one(plan.shapes.exists, [key])) !== undefined ||
      (store.isShared && (await intentions.committed((reader) => reader.one(plan.shapes.exists, [key]))) !== undefined);
    if (isThere) throw error('duplicate', { detail: `There is already an instance with this ${plan.identifier.name}.` });
  }

  #callsIn(writer: Writer): Calls {
    const found = this.#calls.get(writer) ?? nothing();
    this.#calls.set(writer, found);
    return found;
  }

  #composed({ type }: RowPlan): Composed {
    const found = this.#parts.composed.get(type);
    if (found === undefined) throw new Error(`no resolver composes ${type}`);
    return found;
  }

  #about({ type }: RowPlan): CallAbout {
    const { caller, request } = this.#context;
    return { user: userOf(caller) ?? null, requestId: request?.id ?? null, signal: () => request?.signal, type };
  }

  #checking({ plan, unknown }: Composed, row: TableRow): Parameters<typeof rowOf>[1] {
    const path = row[plan.table.columns.findIndex((each) => each.name === pathColumn)];
    return { plan, context: this.#context, unknown, path: typeof path === 'string' ? path : undefined };
  }
}

const inverses = { create: 'delete', update: 'update', delete: 'create' } as const;

function nothing(): Calls {
  return { made: [], struck: [], left: [], late: [] };
}

const eventDone = 'what followed it failed: there is no handler that undoes an event';
const eventUnknown = 'it failed, and nobody can be asked whether it was done';

type Intended = Pick<Intention, 'type' | 'operation' | 'before' | 'after'> & { readonly resolver: Resolver };

async function noted(made: MadeCall, called: Promise<Value>): Promise<Value> {
  try {
    const given = await called;
    made.state = 'made';
    return given;
  } catch (thrown) {
    made.state = stateAfter(thrown);
    throw thrown;
  }
}

/** A refusal is an answer, and where nobody was asked nothing was done. */
function stateAfter(thrown: unknown): MadeCall['state'] {
  if (isError(thrown, 'resolver-refused') || isError(thrown, 'resolver-unavailable')) return 'refused';
  return isError(thrown, 'resolver-timeout') ? 'late' : 'unknown';
}

function changedValue(changes: ReadonlyMap<AttributePlan, Value>, attribute: AttributePlan | undefined, value: Value): Value {
  return attribute !== undefined && changes.has(attribute) ? (changes.get(attribute) ?? null) : value;
}
