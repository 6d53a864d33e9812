// What is known at load time of a value in a workflow: from anything at all to one literal.

import { ExactNumber } from '../../values/exact-number.ts';
import { type Attribute, localOf, type TypeName } from '../model.ts';
import type { Scalar } from '../pattern.ts';

export type ValueType = AtomType | UnionType;

export type AtomType =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'null' }
  | { readonly kind: 'literal'; readonly value: Exclude<Scalar, null> }
  /** `sample`: a text of the form that all of them have, such as that of `now()`. */
  | { readonly kind: 'text'; readonly sample?: string }
  /** `double`: a Float takes part in what it is computed from. */
  | { readonly kind: 'number'; readonly double?: true }
  | { readonly kind: 'boolean' }
  /** One value of a plain attribute, as it is kept. */
  | { readonly kind: 'attribute'; readonly attribute: Attribute }
  /** An instance, a record, a link or an event of that type. */
  | { readonly kind: 'instance'; readonly type: TypeName }
  /** `closed` where it has no other members than these: rows of columns. */
  | { readonly kind: 'map'; readonly fields: ReadonlyMap<string, ValueType>; readonly closed: boolean }
  /** `items` where each of them is known. */
  | { readonly kind: 'list'; readonly of: ValueType; readonly items?: readonly ValueType[] };

/** One of several; of none where the value never comes to be. */
export interface UnionType {
  readonly kind: 'union';
  readonly of: readonly AtomType[];
}

export const unknown: ValueType = Object.freeze({ kind: 'unknown' });
export const nothing: ValueType = Object.freeze({ kind: 'null' });
export const never: ValueType = Object.freeze({ kind: 'union', of: [] });
export const text: ValueType = Object.freeze({ kind: 'text' });
export const number: ValueType = Object.freeze({ kind: 'number' });
const double: ValueType = Object.freeze({ kind: 'number', double: true });
export const boolean: ValueType = Object.freeze({ kind: 'boolean' });

/** Larger unions come from generated models only, and are not worth the time. */
const mostAlternatives = 20;

/** Without intermediate lists: it is most of the work of inference. */
export function union(all: readonly ValueType[]): ValueType {
  const [only] = all;
  if (only !== undefined && all.every((each) => each === only)) return only;
  const atoms: AtomType[] = [];
  for (const type of all)
    for (const each of atomsOf(type)) {
      if (each.kind === 'unknown') return unknown;
      if (!atoms.includes(each)) atoms.push(each);
    }
  if (atoms.length > mostAlternatives) return unknown;
  return atoms.length === 1 ? (atoms[0] ?? never) : { kind: 'union', of: atoms };
}

export function atomsOf(type: ValueType): readonly AtomType[] {
  return type.kind === 'union' ? type.of : [type];
}

/** The alternatives that are values. */
export function presentIn(type: ValueType): readonly AtomType[] {
  return atomsOf(type).filter((each) => each.kind !== 'null');
}

export function canBeNull(type: ValueType): boolean {
  return atomsOf(type).some((each) => each.kind === 'null' || each.kind === 'unknown');
}

export function orNull(type: ValueType): ValueType {
  return canBeNull(type) ? type : union([type, nothing]);
}

export function listOf(of: ValueType): ValueType {
  return { kind: 'list', of };
}

/** The value of an attribute, as what holds it gives it. */
export function attributeType(attribute: Attribute): ValueType {
  const { type, list, optional } = attribute;
  const single: ValueType =
    type.kind === 'record'
      ? { kind: 'instance', type: type.record }
      : type.type.name === 'Any'
        ? unknown
        : type.type.column === 'json'
          ? { kind: 'map', fields: new Map(), closed: false }
          : { kind: 'attribute', attribute };
  const whole = list ? listOf(single) : single;
  return optional ? orNull(whole) : whole;
}

/** What a loop goes over: nothing has no elements, and what is no list is its own. */
export function elementOf(type: ValueType): ValueType {
  return union(
    atomsOf(type).map((each): ValueType => {
      if (each.kind === 'list') return each.of;
      return each.kind === 'null' ? never : each;
    }),
  );
}

/** Why it is not what it should be, behind the words that say what it should. */
export function mismatch(type: ValueType): string {
  const present = presentIn(type);
  if (present.length > 0 && present.every((each) => each.kind === 'literal')) return `, which ${describe(type)} is not`;
  return `; this is ${describe(type)}`;
}

export function describe(type: ValueType): string {
  const present = presentIn(type);
  return present.length === 0 ? '`null`' : [...new Set(present.map(describeAtom))].join(' or ');
}

function describeAtom(atom: AtomType): string {
  switch (atom.kind) {
    case 'literal':
      return `\`${shown(atom.value)}\``;
    case 'attribute':
      return `${expectationOf(atom.attribute)} (\`${atom.attribute.name}\`)`;
    case 'instance':
      return `an instance of \`${localOf(atom.type)}\``;
    case 'map':
      return 'a map';
    case 'list':
      return 'a list';
    case 'unknown':
      return 'anything';
    case 'null':
      return '`null`';
    case 'text':
      return atom.sample === undefined ? 'a text' : `a text such as \`${atom.sample}\``;
    default:
      return `a ${atom.kind === 'boolean' ? 'truth value' : atom.kind}`;
  }
}

/** What the values of an attribute are. */
export function expectationOf({ type, list, values, choices, facets }: Attribute): string {
  if (list) return 'a list';
  const allowed = values ?? choices;
  if (allowed !== undefined) return `one of ${allowed.map((each) => `\`${String(each)}\``).join(', ')}`;
  if (type.kind === 'record') return `a \`${localOf(type.record)}\``;
  return [type.type.expected, ...facets.flatMap(({ expected }) => expected ?? [])].join(' ');
}

export function shown(value: Scalar): string {
  const whole = value instanceof ExactNumber ? value.text : typeof value === 'string' ? JSON.stringify(value) : String(value);
  return whole.length > 40 ? `${whole.slice(0, 39)}…` : whole;
}

/** What is computed from these: a double where a Float takes part, else exact. */
export function computedFrom(operands: readonly ValueType[]): ValueType {
  return operands.some((each) => presentIn(each).some(isDouble)) ? double : number;
}

/** One of these, or rounded, or without its sign: what an attribute holds is what was sent, digit by digit. */
export function takenFrom(operands: readonly ValueType[]): ValueType {
  return operands.some(isComputedDouble) ? double : number;
}

export function isComputedDouble(type: ValueType): boolean {
  return presentIn(type).some((each) => each.kind === 'number' && each.double === true);
}

/** Of a list, each of its elements. */
function isDouble(atom: AtomType): boolean {
  if (atom.kind === 'list') return presentIn(atom.of).some(isDouble);
  if (atom.kind === 'attribute') return atom.attribute.type.kind === 'plain' && atom.attribute.type.type.column === 'real';
  return atom.kind === 'number' && atom.double === true;
}
