// Timers whose attributes stand in the text: what can never be run, or is never due, is told before anything runs.

import type { FaultReport } from '../fault-report.ts';
import { literalValue } from '../literals.ts';
import type { Model } from '../model.ts';
import { type Expression, type InstancePattern, isQuery } from '../pattern.ts';
import { type TimerAttributes, type TimerFault, timerFaults } from '../timers/definition.ts';
import { timerType, timerTypes } from '../timers/timers.ts';
import { eachNode, statementsOf } from '../walk.ts';

export function checkTimers(model: Model, report: FaultReport): void {
  if (!model.entities.has(timerType)) return;
  const isRunnable = (name: string): boolean => model.agents.has(name) || isOwnEvent(name, model);
  eachNode(statementsOf(model), (node) => {
    if (node.kind !== 'instance' || !timerTypes.has(node.type.text) || isQuery(node) || node.target !== undefined) return;
    const names = node.type.text === timerType ? current : earlier;
    for (const { attribute, message } of timerFaults(attributesIn(node, names), isRunnable)) {
      const given = node.attributes.find((each) => each.name.text === names[attribute]);
      const span = given?.value.span ?? node.type.span;
      if (!report.isTold(span)) report.fault('timer-invalid', span, `\`${names[attribute]}\` of a timer ${message}`);
    }
  });
}

/** What the service does itself is reached only at paths of its own. */
export function isOwnEvent(name: string, { events }: Pick<Model, 'events'>): boolean {
  const event = events.get(name);
  return event !== undefined && event.system === undefined;
}

type Names = Readonly<Record<TimerFault['attribute'], string>>;

const current: Names = { duration: 'duration', unit: 'unit', trigger: 'trigger', repeat: 'repeat', schedule: 'schedule' };
const earlier: Names = { duration: 'Expiry', unit: 'ExpiryUnit', trigger: 'ExpiryEvent', repeat: 'Repeat', schedule: 'Schedule' };

function attributesIn({ attributes, type }: InstancePattern, names: Names): TimerAttributes {
  const valueIn = (name: TimerFault['attribute']) => {
    const given = attributes.find((each) => each.name.text === names[name])?.value;
    if (given === undefined) return null;
    return given.kind === 'aggregate' ? undefined : plainValue(given);
  };
  const [duration, unit, trigger, schedule] = [valueIn('duration'), valueIn('unit'), valueIn('trigger'), valueIn('schedule')];
  const repeat = valueIn('repeat') ?? type.text === timerType;
  const known = { duration, unit, trigger, repeat, schedule };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

function plainValue(expression: Expression): ReturnType<typeof literalValue> {
  return literalValue(expression.kind === 'quote' ? expression.value : expression);
}
