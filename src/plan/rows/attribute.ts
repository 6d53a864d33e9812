// Compiles an attribute into the checks that a write runs: what fits is kept, what does not is named.

import { countOfFaults, type Fault } from '../../errors.ts';
import { choiceOf } from '../../model/choice.ts';
import type { Facet } from '../../model/facets/facet.ts';
import { type Attribute, columnKind, type Entity, type Model, type TypeName, type TypeReference } from '../../model/model.ts';
import { subtypesOf, typeMember } from '../../model/subtypes.ts';
import type { AttributeType } from '../../model/types/attribute-type.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import type { Value } from '../../values/value.ts';
import type { AttributePlan, Filling } from '../plan.ts';
import { equal } from '../query/condition.ts';
import { grantType } from './assignments.ts';
import type { Table } from './table.ts';
import { isMomentKind, pathColumn } from './tables.ts';

type Parse = (input: Value, path: string, faults: Fault[], fill?: Filling) => Value;

/** Limits the memory one list attribute can take; the body's own limits hold besides. */
export const maxListItems = 10_000;

/** `tableOf` gives the table of an entity, for what `@ref` and `@oneof` point at. */
export function compileAttribute(
  attribute: Attribute,
  model: Model,
  tableOf?: (entity: TypeName) => Table,
  stored = tableOf !== undefined,
): AttributePlan {
  const { type, values } = attribute;
  const record = type.kind === 'record' ? recordFields(type.record, model, stored) : undefined;
  const parseType = type.kind === 'plain' ? parsePlain(type.type) : parseRecord(record ?? recordFields(type.record, model, stored));
  const single = restricted(attribute, values === undefined ? parseType : parseEnum(values));
  const parse = attribute.list ? parseList(single) : attribute.identifier ? parseIdentifier(single) : single;
  return {
    attribute,
    name: attribute.name,
    column: attribute.name,
    hidden: attribute.secret || attribute.writeonly,
    target: tableOf === undefined ? undefined : targetOf(attribute, tableOf),
    parse,
    parseText: textParserOf(attribute),
    numbers: numbersOf(attribute),
    ...(record === undefined ? {} : { fieldsOf: (type) => record.fieldsOf(type ?? record.type) }),
  };
}

function numbersOf({ type, values, secret }: Attribute): AttributePlan['numbers'] {
  if (type.kind === 'record') return 'record';
  const { column } = type.type;
  if (values !== undefined || secret) return undefined;
  if (column === 'scalar') return 'json';
  return column === 'integer' || column === 'decimal' || column === 'real' || column === 'json' ? column : undefined;
}

export function isObject(value: Value | undefined): value is { readonly [key: string]: Value } {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber) && !(value instanceof Double)
  );
}

export function fault(attribute: string, code: Fault['code'], message: string): Fault {
  return { attribute, code, message };
}

function targetOf(attribute: Attribute, tableOf: (entity: TypeName) => Table): AttributePlan['target'] {
  const reference = attribute.ref ?? attribute.oneOf;
  if (reference === undefined) return undefined;
  const table = tableOf(reference.entity);
  // A moment can be written in several ways: what points at it holds the one that is kept.
  const columns = isMomentKind(columnKind(attribute)) ? [reference.attribute] : [];
  const select = { kind: 'select', table, output: { fields: [], columns }, order: [], limit: false, offset: false } as const;
  return { ...reference, exists: { ...select, where: equal(reference.attribute) } };
}

function parsePlain(type: AttributeType): Parse {
  return (input, path, faults) => {
    const value = type.parse(input);
    if (value !== undefined) return value;
    faults.push(fault(path, 'type', `must ${type.refusal?.(input) ?? `be ${type.expected}`}`));
    return null;
  };
}

/** No path could name an empty identifier, and every client reads `.` and `..` as a way to another path. */
function parseIdentifier(single: Parse): Parse {
  return (input, path, faults, fill) => {
    if (input !== '' && input !== '.' && input !== '..') return single(input, path, faults, fill);
    faults.push(fault(path, 'value', 'must not be empty, or stand for a folder in a path'));
    return null;
  };
}

function parseEnum(values: readonly string[]): Parse {
  const allowed = new Set(values);
  const message = `must be one of ${values.join(', ')}`;
  return (input, path, faults) => {
    if (typeof input === 'string' && allowed.has(input)) return input;
    faults.push(fault(path, 'value', message));
    return null;
  };
}

/** The values of `@enum` that are not texts, and what other annotations ask: what has the type must fit them too. */
function restricted({ choices, facets, type }: Attribute, single: Parse): Parse {
  return facets.reduce(demanding, choices === undefined ? single : among(choices, type, single));
}

function demanding(single: Parse, { fits, demand = '' }: Facet): Parse {
  if (fits === undefined) return single;
  const message = `must ${demand}`;
  return (input, path, faults, fill) => {
    const value = single(input, path, faults, fill);
    if (value === null || fits(value)) return value;
    faults.push(fault(path, 'value', message));
    return null;
  };
}

function among(choices: readonly Value[], type: TypeReference, single: Parse): Parse {
  const message = `must be one of ${choices.map(String).join(', ')}`;
  return (input, path, faults, fill) => {
    const before = countOfFaults(faults);
    const value = single(input, path, faults, fill);
    if (countOfFaults(faults) > before || choices.includes(choiceOf(value, type))) return value;
    faults.push(fault(path, 'value', message));
    return null;
  };
}

function parseList(single: Parse): Parse {
  return (input, path, faults, fill) => {
    if (!Array.isArray(input)) {
      faults.push(fault(path, 'type', 'must be a list'));
      return null;
    }
    if (input.length > maxListItems) {
      faults.push(fault(path, 'limit', `must have at most ${maxListItems} items`));
      return null;
    }
    return input.map((item, index) => single(item, `${path}[${index}]`, faults, fill));
  };
}

/** A record as the type of an attribute, with those that extend it. */
interface RecordFields {
  readonly type: TypeName;
  types(): ReadonlySet<TypeName>;
  fieldsOf(type: TypeName): readonly AttributePlan[];
  /** Whether its values may carry a path. */
  isEntity(type: TypeName): boolean;
}

/** Compiled on first use: records may refer to records that come later. */
function recordFields(type: TypeName, model: Model, stored: boolean): RecordFields {
  const compiled = new Map<TypeName, readonly AttributePlan[]>();
  let types: ReadonlySet<TypeName> | undefined;
  return {
    type,
    types() {
      types ??= new Set([type, ...subtypesOf(type, model, stored)]);
      return types;
    },
    fieldsOf(each) {
      const known = compiled.get(each);
      if (known !== undefined) return known;
      const declared = model.records.get(each)?.attributes ?? model.entities.get(each)?.attributes ?? [];
      const attributes = declared.map((inner) => compileAttribute(inner, model, undefined, stored));
      compiled.set(each, attributes);
      return attributes;
    },
    isEntity: (each) => model.entities.has(each),
  };
}

/** A value of the record or of a type that extends it, which it then names. */
function parseRecord(record: RecordFields): Parse {
  return (input, path, faults, fill) => {
    const types = record.types();
    const { type, fields } = namedValue(input, record.type, types);
    if (fields === undefined || type === undefined) {
      const others = types.size > 1 ? ', or of a type that extends it' : '';
      faults.push(fault(path, 'type', `must be an object of ${record.type}${others}`));
      return null;
    }
    const { [pathColumn]: place, ...rest } = fields;
    const isPlaced = typeof place === 'string' && record.isEntity(type);
    const parsed = parseFields(isPlaced ? rest : fields, record.fieldsOf(type), path, faults, fill);
    return { ...(type === record.type ? {} : { [typeMember]: type }), ...parsed, ...(isPlaced ? { [pathColumn]: place } : {}) };
  };
}

/** What is keyed by the name of its type, or holds that name; without one it is what the attribute says. */
function namedValue(
  input: Value,
  record: TypeName,
  types: ReadonlySet<TypeName>,
): { readonly type?: TypeName; readonly fields?: { readonly [key: string]: Value } } {
  if (!isObject(input)) return {};
  const [key = '', ...others] = Object.keys(input);
  const inner = input[key];
  // No attribute has a slash in its name.
  if (others.length === 0 && key.includes('/') && isObject(inner)) return types.has(key) ? { type: key, fields: inner } : {};
  if (!Object.hasOwn(input, typeMember)) return { type: record, fields: input };
  const { [typeMember]: named, ...fields } = input;
  return typeof named === 'string' && types.has(named) ? { type: named, fields } : {};
}

function parseFields(
  input: { readonly [key: string]: Value },
  attributes: readonly AttributePlan[],
  path: string,
  faults: Fault[],
  fill: Filling | undefined,
): { readonly [key: string]: Value } {
  const known = new Set(attributes.map((each) => each.name));
  for (const name of Object.keys(input)) {
    if (!known.has(name)) faults.push(fault(`${path}.${name}`, 'unknown', 'is not an attribute'));
  }
  const result: Record<string, Value> = Object.create(null);
  for (const plan of attributes) {
    const value = Object.hasOwn(input, plan.name) ? input[plan.name] : undefined;
    const { optional, default: fallback, expression } = plan.attribute;
    // What was read may be sent again: its computed attributes are computed anew, whatever was sent for them.
    if (expression !== undefined && fill !== undefined) result[plan.name] = null;
    else if (value !== undefined && value !== null) result[plan.name] = plan.parse(value, `${path}.${plan.name}`, faults, fill);
    else if (fallback !== undefined && value === undefined && fill !== undefined) result[plan.name] = fill.default(plan.attribute);
    else if (optional) result[plan.name] = null;
    else faults.push(fault(`${path}.${plan.name}`, 'required', 'is required'));
  }
  if (attributes.some((each) => each.attribute.expression !== undefined)) fill?.compute(attributes, result, path, faults);
  return result;
}

export function textParserOf(attribute: Attribute): (text: string) => Value | undefined {
  if (attribute.list || attribute.type.kind === 'record') return () => undefined;
  const { values } = attribute;
  if (values !== undefined) return (text) => text;
  const { type } = attribute.type;
  return (text) => type.parseText(text);
}

/** A grant of nothing would be one that does not do what it says. */
export function assignmentAttribute({ system }: Entity, plan: AttributePlan): AttributePlan {
  if (system?.stored !== grantType || plan.column !== 'actions') return plan;
  return {
    ...plan,
    parse(input, path, faults, filling) {
      if (Array.isArray(input) && input.length === 0)
        faults.push({ attribute: path, code: 'value', message: `must have at least one of ${(plan.attribute.values ?? []).join(', ')}` });
      return plan.parse(input, path, faults, filling);
    },
  };
}
