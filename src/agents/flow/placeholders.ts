// Values that the instruction of an agent names, as `{{name}}`, taken from what came before it: they stand as data beside the message.

import { type Agent, localOf, type TypeName } from '../../model/model.ts';
import { resultShapes } from '../../plan/flow/result/result.ts';
import type { ResultShape } from '../../plan/flow/result/shape.ts';
import type { Plan } from '../../plan/plan.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import { type DataBlock, placeholdersOf } from '../prompt.ts';
import { cut, type StepResult } from './context.ts';
import { objectIn } from './input.ts';

/** Those that the results of earlier steps have: an attribute of a step or of a type, or of the newest result that has it. */
export function namedResults(agent: Agent, results: readonly StepResult[]): readonly DataBlock[] {
  return placeholdersOf(agent).flatMap((name) => {
    // Each result as a whole stands there already.
    if (results.some((each) => each.name === name)) return [];
    const dot = name.lastIndexOf('.');
    const [owner, attribute] = dot === -1 ? [undefined, name] : [name.slice(0, dot), name.slice(dot + 1)];
    const candidates = results.filter(({ name: step, type }) => owner === undefined || step === owner || isNamed(type, owner));
    const found = candidates.map(({ value }) => objectIn(value)).findLast((each) => each !== undefined && Object.hasOwn(each, attribute));
    const value = found?.[attribute] ?? null;
    return value === null ? [] : [{ name, text: textOf(value) }];
  });
}

function isNamed(type: TypeName | undefined, name: string): boolean {
  return type !== undefined && (type === name || localOf(type) === name);
}

/** With those that nobody gave, as far as a workflow knows them by now. */
export function withNamed(agent: Agent, given: Values, named: (name: string) => Value | undefined): Values {
  const missing = placeholdersOf(agent).filter((name) => name !== 'message' && !Object.hasOwn(given, name));
  const found = missing.flatMap((name): readonly [string, Value][] => {
    const value = named(name) ?? null;
    return value === null ? [] : [[name, textOf(value)]];
  });
  return found.length === 0 ? given : { ...given, ...Object.fromEntries(found) };
}

function textOf(value: Value): string {
  return cut(typeof value === 'string' ? value : writeJson(value));
}

const shapes = new WeakMap<Plan, (event: TypeName) => ResultShape>();

/** The type of the instances that an event gives, where it is certain. */
export function resultType(event: TypeName, plan: Plan): TypeName | undefined {
  const known = shapes.get(plan) ?? resultShapes(plan);
  shapes.set(plan, known);
  const shape = known(event);
  const one = shape.kind === 'list' ? shape.of : shape;
  return one.kind === 'instance' ? one.plan.type : one.kind === 'record' ? one.record.name : undefined;
}
