// The logic that writes set off: before and after creates, updates and deletes, whoever made them.

import { error, type Fault, invalid } from '../../errors.ts';
import { localOf } from '../../model/model.ts';
import { changedByTriggers, triggersDo } from '../../plan/flow/effects.ts';
import { type FlowProgram, type TriggerPlan, triggerKey } from '../../plan/flow/flow.ts';
import type { AttributePlan, RowPlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Awaitable, Row } from '../../store/store.ts';
import { JsonObject } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { startBudget } from '../budget.ts';
import { runChecks } from '../draft/checks.ts';
import { isTrue } from '../eval/eval.ts';
import { complete } from '../instances/row-values.ts';
import { holdLater } from '../memory.ts';
import type { WriteContext } from '../operation.ts';
import { writtenApart } from '../retry.ts';
import type { Changes, Draft, Located } from '../row.ts';
import { runningAs } from '../run-as.ts';
import type { Triggers, WriteKind } from '../seams.ts';
import { runSteps } from './flow.ts';
import { decisionOf, writingRun } from './invoke.ts';
import { isQueued, namesFor } from './parts/run-part.ts';
import { bind, evaluateNow, fieldsOf, listOf, maxDepth, recordOrigin } from './run.ts';
import type { Fields, Run, Scopes } from './state.ts';

export const modelTriggers: Triggers = {
  fires(when, operation, type, { plan: { dataflows } }) {
    return dataflows.triggers.size > 0 && dataflows.triggers.has(triggerKey(when, operation, type));
  },
  wait(operation, type, { plan: { dataflows } }) {
    return dataflows.triggers.size > 0 && triggersDo('waits', operation, type, dataflows);
  },
  query: (operation, type, { plan: { dataflows } }) => triggersDo('queries', operation, type, dataflows),
  changes: (operation, type, { plan: { dataflows } }) => changedByTriggers(operation, type, dataflows),
  async beforeCreate(draft, located, context) {
    const pending = pendingOf(draft);
    if (located.path !== undefined) pending[pathColumn] = located.path;
    await fire('before', 'create', located, pending, undefined, context);
    if (!takeOver(draft, pending)) return;
    // What follows from the attributes follows from the changed ones.
    await complete(draft, context);
    await checkAgain(draft, context);
  },
  async beforeUpdate(changes, located, row, context) {
    const pending = fieldsOf(row);
    for (const [attribute, value] of changes.changes) if (!attribute.hidden) pending[attribute.name] = value;
    if (changes.move !== undefined) pending[pathColumn] = changes.move.to.path ?? null;
    const given: Fields = Object.assign(new JsonObject(), pending);
    await fire('before', 'update', located, pending, undefined, context);
    return withPending(changes, located.plan, given, pending);
  },
  beforeDelete: (located, row, context) => fire('before', 'delete', located, fieldsOf(row), row, context),
  after: (operation, located, row, context) => fire('after', operation, located, fieldsOf(row), row, context),
};

/** What was checked before may be something else now; no trigger sees a secret. */
async function checkAgain({ plan, values, prefix }: Draft, context: WriteContext): Promise<void> {
  const faults: Fault[] = [];
  const plain = plan.checked.filter(({ attribute }) => !attribute.secret && attribute.expression === undefined);
  await runChecks(plan, plain, values, prefix, faults, context);
  if (faults.length > 0) throw invalid(faults);
}

/** What will be stored, as far as anybody may see it. */
function pendingOf({ plan, values, ends }: Draft): Fields {
  const fields: Fields = new JsonObject();
  if (plan.kind === 'link') for (const [index, { attribute }] of plan.ends.entries()) fields[attribute] = ends?.[index] ?? null;
  for (const [index, each] of plan.attributes.entries()) if (!each.hidden) fields[each.name] = values[index] ?? null;
  return fields;
}

/** Whether anything changed. */
function takeOver(draft: Draft, pending: Fields): boolean {
  const { plan, values } = draft;
  const faults: Fault[] = [];
  const changed = plan.attributes.filter((each) => !each.hidden && pending[each.name] !== values[plan.attributes.indexOf(each)]);
  for (const each of changed) values[plan.attributes.indexOf(each)] = parsed(each, pending[each.name] ?? null, faults);
  refuseIdentifier(plan, changed, faults);
  if (plan.kind === 'link')
    for (const [index, { attribute }] of plan.ends.entries())
      if (pending[attribute] !== draft.ends?.[index]) faults.push({ attribute, code: 'readonly', message: 'cannot be changed' });
  if (faults.length > 0) throw invalid(faults);
  return changed.length > 0;
}

/** Where an instance stands is decided before anything runs. */
function refuseIdentifier(plan: RowPlan, changed: readonly AttributePlan[], faults: Fault[]): void {
  if (changed.includes(plan.identifier)) faults.push({ attribute: plan.identifier.name, code: 'readonly', message: 'cannot be changed' });
}

function withPending(changes: Changes, plan: RowPlan, given: Fields, pending: Fields): Changes {
  const faults: Fault[] = [];
  const all = new Map(changes.changes);
  const changed = plan.attributes.filter((each) => pending[each.name] !== given[each.name]);
  for (const each of changed) all.set(each, parsed(each, pending[each.name] ?? null, faults));
  refuseIdentifier(plan, changed, faults);
  if (faults.length > 0) throw invalid(faults);
  return { ...changes, changes: all };
}

function parsed(plan: AttributePlan, value: Value, faults: Fault[]): Value {
  if (value !== null) return plan.parse(value, plan.name, faults);
  if (!plan.attribute.optional) faults.push({ attribute: plan.name, code: 'required', message: 'is required and cannot be null' });
  return null;
}

async function fire(
  when: 'before' | 'after',
  operation: WriteKind,
  located: Located,
  instance: Fields,
  row: Row | undefined,
  context: WriteContext,
): Promise<void> {
  const { plan, running } = context;
  const depth = (running?.depth ?? 0) + 1;
  if (depth > maxDepth) throw error('dataflow-failed', { detail: `Triggers set each other off more than ${maxDepth} levels deep.` });
  for (const trigger of plan.dataflows.triggers.get(triggerKey(when, operation, located.plan.type)) ?? []) {
    const own = runningAs(trigger.runAs, context);
    if (isQueued(trigger, context)) await queue(trigger, operation, located, instance, row, own, depth);
    else if (trigger.async) {
      if (running !== undefined && row !== undefined) holdLater(running.budget.held, row, context);
      context.later.push({ what: trigger.flow.name, run: () => runLater(trigger, operation, located, instance, row, own, depth) });
    } else {
      const budget = running?.budget ?? startBudget(context);
      const { bytes } = budget.held;
      await runTrigger(trigger, located, instance, row, writingRun(own, own.tx, budget, depth));
      // What it has read is held by nobody behind it.
      budget.held.bytes = bytes;
    }
  }
}

/** After the commit, in a transaction and with limits of its own; what it sets off in turn is counted on. */
async function runLater(
  trigger: TriggerPlan,
  operation: WriteKind,
  located: Located,
  instance: Fields,
  row: Row | undefined,
  context: WriteContext,
  depth: number,
): Promise<void> {
  const work = async (own: WriteContext): Promise<void> => {
    // When it was put off the transaction went on: what it has computed since, and what else has been committed, is seen.
    const now = operation === 'delete' ? undefined : await own.tx.one(located.plan.shapes.byKey, [located.key]);
    const run = writingRun(own, own.tx, startBudget(own), depth);
    await runTrigger(trigger, located, now === undefined ? instance : fieldsOf(now), now ?? row, run);
  };
  await writtenApart(work, { waits: true, decides: decisionOf([trigger.flow, trigger.related?.flow], context) }, context);
}

/** What asks an agent is begun after the commit, as a run that was kept in this transaction. Whether it is begun is decided now. */
async function queue(
  trigger: TriggerPlan,
  operation: WriteKind,
  located: Located,
  instance: Fields,
  row: Row | undefined,
  context: WriteContext,
  depth: number,
): Promise<void> {
  const { asking } = context.handlers;
  const name = triggerKey(trigger.when, operation, located.plan.type);
  if (asking === undefined || trigger.when === 'before') throw error('not-available', { detail: `Agents cannot be asked in "${name}".` });
  const index = context.plan.dataflows.triggers.get(name)?.indexOf(trigger) ?? 0;
  const isLate = operation !== 'delete';
  await runTrigger(trigger, located, instance, row, writingRun(context, context.tx, startBudget(context), depth), async (run) => {
    await asking.queue({ name, index, names: namesFor(run), isLate, isSystem: context.caller.kind === 'logic' }, context);
  });
}

async function runTrigger(
  trigger: TriggerPlan,
  located: Located,
  instance: Fields,
  row: Row | undefined,
  run: Run,
  begin: (run: Run) => Awaitable<unknown> = (ready) => runSteps(trigger.flow.steps, ready),
): Promise<void> {
  const { event, alias, related } = trigger;
  recordOrigin(instance, located.plan, located, row, run);
  run.names.set('this', { value: instance });
  const own: Scopes = [{ type: located.plan.type, values: instance }];
  const others = related === undefined ? [undefined] : await relatedTo(related.flow, instance, located, run);
  for (const other of others) {
    const around: Scopes = other === undefined || related === undefined ? own : [...own, { type: related.type, values: other }];
    if (trigger.condition !== undefined && !isTrue(evaluateNow(trigger.condition, run, around))) continue;
    if (alias !== undefined) bind(alias, { value: instance }, run);
    if (event !== undefined) run.names.set(event.name, { value: eventValues(event.attribute, instance, trigger, other) });
    await begin(run);
  }
}

/** Conditional events also get what was stored as `Upserted<Entity>`. */
function eventValues(attribute: string, instance: Fields, { condition, related }: TriggerPlan, other: Fields | undefined): Fields {
  const values: Fields = Object.assign(new JsonObject(), { [attribute]: instance });
  if (condition !== undefined) values[`Upserted${attribute}`] = instance;
  if (related !== undefined && other !== undefined) values[localOf(related.type)] = other;
  return values;
}

async function relatedTo(flow: FlowProgram, instance: Fields, located: Located, run: Run): Promise<readonly Fields[]> {
  run.names.set(located.plan.type, { value: instance });
  const { value } = await runSteps(flow.steps, run);
  return listOf(value).filter((each): each is Fields => isObject(each));
}
