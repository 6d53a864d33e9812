// What is done when a timer is made or changed: it is checked, and gets its first due time and the one for whom it runs.

import { askerOf, userOf } from '../engine/caller.ts';
import { rehearse } from '../engine/execute.ts';
import type { Context, WriteContext } from '../engine/operation.ts';
import type { Changes, Draft } from '../engine/row.ts';
import { callerText } from '../engine/saved-caller.ts';
import type { Triggers } from '../engine/seams.ts';
import { type Fault, invalid, isError } from '../errors.ts';
import { type TimerAttributes, timerFaults, triggerOf } from '../model/timers/definition.ts';
import { namedInTimers } from '../model/timers/named.ts';
import { timerType, timerTypes } from '../model/timers/timers.ts';
import type { AttributePlan, RowPlan } from '../plan/plan.ts';
import { everything } from '../plan/query/condition.ts';
import { fault } from '../plan/rows/attribute.ts';
import type { Row } from '../store/store.ts';
import { parseStored, writeJson } from '../values/json/json.ts';
import type { Value, Values } from '../values/value.ts';
import { following, TimerRows, textOf, timersPlan, timingIn } from './rows.ts';
import { runnable } from './runnable.ts';

export interface ValidateParts {
  /** Timers that there may be. */
  readonly most: number;
  /** The time zone of the fields of cron. */
  readonly zone: string;
  /** A timer was made or changed, and that is committed. */
  changed(): void;
}

export function validatingTimers(ofModel: Triggers, parts: ValidateParts): Triggers {
  const isTimer = (type: string): boolean => timerTypes.has(type);
  const isUser = (type: string, { plan }: Context): boolean => plan.entities.get(type)?.entity.system?.stored === userType;
  return {
    ...ofModel,
    fires: (when, operation, type, context) =>
      (when === 'before' && (operation === 'delete' ? isUser(type, context) : isTimer(type))) ||
      ofModel.fires(when, operation, type, context),
    async beforeCreate(draft, located, context) {
      const { type } = located.plan;
      if (isTimer(type) && draft.restored !== true) await made(draft, parts, context);
      if (ofModel.fires('before', 'create', type, context)) await ofModel.beforeCreate(draft, located, context);
    },
    async beforeUpdate(changes, located, row, context) {
      const { type } = located.plan;
      const kept = isTimer(type) ? await changed(changes, located.plan, row, parts, context) : changes;
      return ofModel.fires('before', 'update', type, context) ? ofModel.beforeUpdate(kept, located, row, context) : kept;
    },
    async beforeDelete(located, row, context) {
      const { type } = located.plan;
      // Whoever has the address later is somebody else.
      if (isUser(type, context)) await new TimerRows(context.plan).remove(context.tx, { user: String(located.id) });
      if (ofModel.fires('before', 'delete', type, context)) await ofModel.beforeDelete(located, row, context);
    },
  };
}

const userType = 'platform.auth/User';
/** What only the service writes. */
const kept = ['user', 'due', 'last', 'runs', 'error', 'caller'];
const given = ['duration', 'unit', 'trigger', 'repeat', 'schedule'] as const;

async function made(draft: Draft, parts: ValidateParts, context: WriteContext): Promise<void> {
  const { plan, values, prefix } = draft;
  const at = (column: string): number => plan.attributes.findIndex((each) => each.column === column);
  const nameOf = (column: string): string => `${prefix}${plan.attributes[at(column)]?.name ?? column}`;
  const faults = kept.flatMap((each) =>
    (values[at(each)] ?? null) === null ? [] : [fault(nameOf(each), 'readonly', 'is written by the service alone')],
  );
  if (faults.length > 0) throw invalid(faults);
  values[at('repeat')] ??= plan.type === timerType;
  const attributes = attributesFrom((column) => values[at(column)] ?? null);
  const isOfModel = saysItself(attributes, context);
  await check(attributes, nameOf, isOfModel, context);
  if ((await context.tx.count({ ...timersPlan(context.plan).shapes.exists, where: everything }, [])) >= parts.most)
    throw invalid([fault(nameOf('name'), 'limit', `there are ${parts.most} timers, which is the most that there may be`)]);
  for (const [column, value] of Object.entries(startOf(attributes, nameOf, isOfModel, parts, context))) values[at(column)] = value;
  values[at('created')] = textOf(context.clock.now().getTime());
  context.later.push({ what: 'a timer', run: async () => parts.changed() });
}

async function changed(changes: Changes, plan: RowPlan, row: Row, parts: ValidateParts, context: WriteContext): Promise<Changes> {
  const stored = parseStored(row.json);
  const planOf = (column: string): AttributePlan | undefined => plan.attributes.find((each) => each.column === column);
  const columnValue = (column: string): Value => {
    const attribute = planOf(column);
    if (attribute === undefined) return null;
    return changes.changes.has(attribute) ? (changes.changes.get(attribute) ?? null) : (stored[attribute.name] ?? null);
  };
  const isOther = (column: string): boolean => writeJson(columnValue(column)) !== writeJson(stored[planOf(column)?.name ?? ''] ?? null);
  const all = new Map(changes.changes);
  const repeat = planOf('repeat');
  // One that is put in place anew without saying so repeats as before.
  if (repeat !== undefined && columnValue('repeat') === null) all.set(repeat, stored[repeat.name] ?? null);
  if (!given.some((each) => each !== 'repeat' && isOther(each)) && (columnValue('repeat') === null || !isOther('repeat')))
    return { ...changes, changes: all };
  const nameOf = (column: string): string => `${changes.prefix}${planOf(column)?.name ?? column}`;
  const attributes = attributesFrom(columnValue);
  const isSame = !isOther('trigger') && (await new TimerRows(context.plan).isOfModel(context.tx, String(row.columns[1] ?? '')));
  const isOfModel = isSame || saysItself(attributes, context);
  await check(attributes, nameOf, isOfModel, context);
  const { user, caller, ...timing } = startOf(attributes, nameOf, isOfModel, parts, context);
  // An admin who changes what somebody else has made does not run it: it would be done with rights that its maker never had.
  const isOwn = context.caller.kind === 'system' || user === (stored[planOf('user')?.name ?? ''] ?? null);
  for (const [column, value] of Object.entries({ ...timing, ...(isOwn ? { user, caller } : {}) })) {
    const attribute = planOf(column);
    if (attribute !== undefined) all.set(attribute, value ?? null);
  }
  context.later.push({ what: 'a timer', run: async () => parts.changed() });
  return { ...changes, changes: all };
}

type NameOf = (column: string) => string;
type Given = Required<TimerAttributes> & { readonly name: Value };

function attributesFrom(columnValue: (column: string) => Value): Given {
  return {
    name: columnValue('name'),
    duration: columnValue('duration'),
    unit: columnValue('unit'),
    trigger: columnValue('trigger'),
    repeat: columnValue('repeat'),
    schedule: columnValue('schedule'),
  };
}

/** Whether it is made by the model, as a schedule or where a workflow names what it runs: then that is logic, and nobody is asked whether they may. */
function saysItself({ trigger }: Given, { caller, running, plan: { model } }: WriteContext): boolean {
  const name = triggerOf(trigger)?.name ?? '';
  return caller.kind === 'system' || (running !== undefined && namedInTimers(model).has(name));
}

async function check(attributes: Given, nameOf: NameOf, isOfModel: boolean, context: WriteContext): Promise<void> {
  const { model } = context.plan;
  const found = timerFaults(attributes, (name) => runnable(name, model, isOfModel) !== undefined);
  const faults: Fault[] = found.map(({ attribute, message }) => fault(nameOf(attribute), 'value', message));
  const name = String(attributes.name);
  const trigger = triggerOf(attributes.trigger);
  const target = trigger && runnable(trigger.name, model, isOfModel);
  if (name === '' || name.length > 200) faults.push(fault(nameOf('name'), 'value', 'must have 1 to 200 characters'));
  if (name.includes('/') && !(name === trigger?.name && model.events.get(name)?.schedule === attributes.schedule))
    faults.push(fault(nameOf('name'), 'value', 'must have no /: such names are those of the schedules of the model'));
  if (faults.length > 0) throw invalid(faults);
  if (trigger === undefined || target === undefined) return;
  try {
    // What it would be refused for then is told now.
    await rehearse({ kind: 'invoke', target, body: trigger.body, isGranted: isOfModel }, context);
  } catch (thrown) {
    if (!isError(thrown, 'attributes-invalid')) throw thrown;
    const prefix = `${nameOf('trigger')}.`;
    throw invalid((thrown.details.errors ?? []).map((each) => ({ ...each, attribute: `${prefix}${each.attribute}` })));
  }
}

/** What a timer is given when it begins to count. */
function startOf(attributes: Given, nameOf: NameOf, isOfModel: boolean, { zone }: ValidateParts, { clock, caller }: WriteContext): Values {
  const now = clock.now().getTime();
  const due = following(timingIn(attributes), now, now, zone);
  if (due === undefined) throw invalid([fault(nameOf('schedule'), 'value', 'is never due')]);
  return {
    user: userOf(caller) ?? null,
    caller: callerText(isOfModel ? caller : askerOf(caller), isOfModel),
    due: textOf(due),
    runs: 0,
    error: null,
  };
}
