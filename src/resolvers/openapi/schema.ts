// Values held against the schemas of an OpenAPI document: what is sent to another system, and what it answers.
// Written here: `ajv` makes code of schemas, and these come from other systems; it has no bound on forms that name themselves (a value of 20 levels took it
// 13 seconds), takes no numbers beyond doubles, and refuses what OpenAPI 3.0 says by `nullable` and `exclusiveMinimum`.

import type { Fault } from '../../errors.ts';
import { type Format, formatOf } from '../../model/format/format.ts';
import { fault, isObject } from '../../plan/rows/attribute.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { resolved } from './document.ts';

export interface SchemaCheck {
  readonly document: Value;
  /** What is only read is not asked for in a request, what is only written not in an answer. */
  readonly direction: 'request' | 'answer';
  readonly patterns: Patterns;
}

/** Those of a document, each compiled when it is first needed; nothing for those that cannot be matched here. */
export type Patterns = Map<string, Format | undefined>;

const deepest = 100;
/** Looks at a value because of forms (`oneOf` and the like): some for every part of it, and so many in all. */
const steps = { least: 100_000, part: 20, most: 1_000_000 };

/** Every fault of the value, named by its path; none where the schema cannot be found, or says nothing. */
export function schemaFaults(value: Value, schema: Value | undefined, path: string, check: SchemaCheck): readonly Fault[] {
  const left = Math.min(steps.least + steps.part * partsIn(value), steps.most);
  try {
    return faultsIn(value, schema, path, { ...check, steps: { left }, isForm: false, targets: new Map() }, 0);
  } catch (thrown) {
    if (thrown instanceof TooComplex) return [fault(path, 'value', 'is too complex to be checked')];
    throw thrown;
  }
}

/** Forms that name themselves twice ask 2^depth questions of one value, and everybody waits. */
class TooComplex extends Error {}

function partsIn(value: Value): number {
  if (!Array.isArray(value) && !isObject(value)) return 1;
  return Object.values(value).reduce<number>((count, each) => count + partsIn(each), 1);
}

interface Checking extends SchemaCheck {
  readonly steps: { left: number };
  /** Whether a form is asked: the rest is bounded by the size of the value. */
  readonly isForm: boolean;
  /** What references point at: the same few are followed again and again. */
  readonly targets: Map<string, Value | undefined>;
}

function rulesOf(schema: Value | undefined, { document, targets }: Checking): Value | undefined {
  const reference = isObject(schema) ? schema['$ref'] : undefined;
  if (typeof reference !== 'string') return schema;
  if (!targets.has(reference)) targets.set(reference, resolved(schema, document));
  return targets.get(reference);
}

function faultsIn(value: Value, schema: Value | undefined, path: string, check: Checking, depth: number): readonly Fault[] {
  if (check.isForm && --check.steps.left < 0) throw new TooComplex();
  const rules = rulesOf(schema, check);
  if (rules === false) return [fault(path, 'value', 'is not allowed')];
  if (!isObject(rules) || depth > deepest) return [];
  if (value === null && isNullable(rules)) return [];
  const wrong = typeFault(value, rules, path);
  if (wrong !== undefined) return [wrong];
  return [
    ...choiceFaults(value, rules, path),
    ...(typeof value === 'string' ? textFaults(value, rules, path, check) : []),
    ...(numberOf(value) === undefined ? [] : numberFaults(numberOf(value) ?? 0, rules, path)),
    ...(Array.isArray(value) ? itemFaults(value, rules, path, check, depth) : []),
    ...(isObject(value) ? propertyFaults(value, rules, path, check, depth) : []),
    ...combinedFaults(value, rules, path, check, depth),
  ];
}

type Rules = { readonly [key: string]: Value };

/** The types that a schema allows; all of them where it says none. */
export function typesOf(rules: Rules): readonly string[] {
  const { type } = rules;
  return (Array.isArray(type) ? type : [type]).filter((each) => typeof each === 'string');
}

export function isNullable(rules: Rules): boolean {
  const types = typesOf(rules);
  if (rules['nullable'] === true || types.includes('null')) return true;
  const choices = rules['enum'];
  return types.length === 0 && Array.isArray(choices) && choices.includes(null);
}

function typeFault(value: Value, rules: Rules, path: string): Fault | undefined {
  const types = typesOf(rules);
  if (types.length === 0 || types.some((each) => isOfType(value, each))) return undefined;
  return fault(path, 'type', `must be of type ${types.join(' or ')}`);
}

function isOfType(value: Value, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'number':
      return numberOf(value) !== undefined;
    case 'integer':
      return typeof value === 'bigint' || Number.isInteger(numberOf(value));
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return true;
  }
}

function numberOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Double) return value.value;
  return value instanceof ExactNumber ? Number(value.text) : undefined;
}

function choiceFaults(value: Value, rules: Rules, path: string): readonly Fault[] {
  const choices = 'const' in rules ? [rules['const'] ?? null] : rules['enum'];
  if (!Array.isArray(choices) || choices.some((each) => isSame(each, value))) return [];
  const shown = choices.slice(0, 20).map((each) => writeJson(each));
  return [fault(path, 'value', `must be one of ${shown.join(', ')}`)];
}

function isSame(first: Value, second: Value): boolean {
  const [a, b] = [numberOf(first), numberOf(second)];
  return a !== undefined || b !== undefined ? a === b : writeJson(first) === writeJson(second);
}

function textFaults(value: string, rules: Rules, path: string, { patterns }: SchemaCheck): readonly Fault[] {
  const { minLength, maxLength, pattern } = rules;
  const length = [...value].length;
  const isFitting = typeof pattern !== 'string' || (patternOf(pattern, patterns)?.fits(value) ?? true);
  return [
    ...(typeof minLength === 'number' && length < minLength ? [fault(path, 'value', `must have at least ${minLength} characters`)] : []),
    ...(typeof maxLength === 'number' && length > maxLength ? [fault(path, 'value', `must have at most ${maxLength} characters`)] : []),
    ...(isFitting || value.length > 1000 ? [] : [fault(path, 'value', 'must match the pattern of the other system')]),
  ];
}

function patternOf(pattern: string, patterns: Patterns): Format | undefined {
  if (!patterns.has(pattern)) patterns.set(pattern, compiledPattern(pattern));
  return patterns.get(pattern);
}

/** Nothing for an expression that cannot be matched in one pass: the other system knows best. */
function compiledPattern(pattern: string): Format | undefined {
  try {
    return formatOf(`[\\s\\S]*(?:${pattern})[\\s\\S]*`);
  } catch {
    return undefined;
  }
}

function numberFaults(value: number, rules: Rules, path: string): readonly Fault[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = rules;
  const [least, most] = [numberOf(minimum ?? null), numberOf(maximum ?? null)];
  const [above, below] = [
    exclusiveMinimum === true ? least : numberOf(exclusiveMinimum ?? null),
    exclusiveMaximum === true ? most : numberOf(exclusiveMaximum ?? null),
  ];
  return [
    ...(above !== undefined && value <= above ? [fault(path, 'value', `must be more than ${above}`)] : []),
    ...(below !== undefined && value >= below ? [fault(path, 'value', `must be less than ${below}`)] : []),
    ...(least !== undefined && value < least ? [fault(path, 'value', `must be at least ${least}`)] : []),
    ...(most !== undefined && value > most ? [fault(path, 'value', `must be at most ${most}`)] : []),
  ];
}

function itemFaults(value: readonly Value[], rules: Rules, path: string, check: Checking, depth: number): readonly Fault[] {
  const { minItems, maxItems, items } = rules;
  return [
    ...(typeof minItems === 'number' && value.length < minItems ? [fault(path, 'value', `must have at least ${minItems} items`)] : []),
    ...(typeof maxItems === 'number' && value.length > maxItems ? [fault(path, 'value', `must have at most ${maxItems} items`)] : []),
    ...(items === undefined ? [] : value.flatMap((each, index) => faultsIn(each, items, `${path}[${index}]`, check, depth + 1))),
  ];
}

function propertyFaults(value: Rules, rules: Rules, path: string, check: Checking, depth: number): readonly Fault[] {
  const { additionalProperties: further } = rules;
  const properties = isObject(rules['properties']) ? rules['properties'] : {};
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const required = Array.isArray(rules['required']) ? rules['required'] : [];
  const missing = required.filter((name) => typeof name === 'string' && !(name in value) && isAsked(properties[name], check));
  const found = Object.entries(value).flatMap(([name, each]) => {
    if (name in properties) return faultsIn(each, properties[name], at(name), check, depth + 1);
    if (further === false) return [fault(at(name), 'unknown', 'is not known to the other system')];
    return further === undefined || further === true ? [] : faultsIn(each, further, at(name), check, depth + 1);
  });
  return [...missing.map((name) => fault(at(String(name)), 'required', 'is required')), ...found];
}

function isAsked(schema: Value | undefined, { document, direction }: SchemaCheck): boolean {
  const rules = resolved(schema, document);
  return !isObject(rules) || rules[direction === 'request' ? 'readOnly' : 'writeOnly'] !== true;
}

function combinedFaults(value: Value, rules: Rules, path: string, check: Checking, depth: number): readonly Fault[] {
  const form = check.isForm ? check : { ...check, isForm: true };
  const faultsOf = (name: string): readonly (readonly Fault[])[] =>
    (Array.isArray(rules[name]) ? rules[name] : []).map((each) => faultsIn(value, each, path, form, depth + 1));
  return [...faultsOf('allOf').flat(), ...['anyOf', 'oneOf'].flatMap((name) => noneFits(faultsOf(name), path))];
}

/** One that fits is enough: two forms of a document often overlap. */
function noneFits(choices: readonly (readonly Fault[])[], path: string): readonly Fault[] {
  if (choices.length === 0 || choices.some((each) => each.length === 0)) return [];
  return choices.length === 1 ? (choices[0] ?? []) : [fault(path, 'value', 'fits none of the forms that the other system knows')];
}
