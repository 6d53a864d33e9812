// What the built-in functions take and give.

import { numberFunctions } from '../number-functions.ts';
import type { CallExpression } from '../pattern.ts';
import { decimal } from '../types/number/decimal.ts';
import { date } from '../types/time/date.ts';
import { datetime } from '../types/time/datetime.ts';
import { formOf, isBoolean, isNumeric, isTextual } from './fits.ts';
import type { Typing } from './scope.ts';
import {
  type AtomType,
  atomsOf,
  elementOf,
  mismatch,
  number,
  orNull,
  presentIn,
  takenFrom,
  text,
  unknown,
  type ValueType,
} from './value-type.ts';

type Wanted = 'date' | 'number' | 'any';

interface Signature {
  readonly takes: readonly Wanted[];
  /** How many of them there must be. */
  readonly least: number;
  readonly gives: ValueType;
}

function signature(takes: readonly Wanted[], gives: ValueType, least = takes.length): Signature {
  return { takes, least, gives: takes.length === 0 ? gives : orNull(gives) };
}

const timeSample: ValueType = { kind: 'text', sample: '2025-01-31T09:30:00.000Z' };
const moved = signature(['date', 'number'], text);
const bound = signature(['date'], text);
/** How many they take is checked where they are linked. */
const onNumbers = signature(['number', 'number'], number, 0);
/** They also take one list. */
const ofMany: ReadonlySet<string> = new Set(['min', 'max']);

const signatures: ReadonlyMap<string, Signature> = new Map<string, Signature>([
  ['now', signature([], timeSample)],
  ['localNow', signature([], { kind: 'text', sample: '2025-01-31T09:30:00.000' })],
  ['uuid', signature([], { kind: 'text', sample: '00000000-0000-7000-8000-000000000000' })],
  ['JSON.stringify', signature(['any'], text)],
  ['dateFns.today', signature([], { kind: 'text', sample: '2025-01-31' })],
  ['dateFns.addDays', moved],
  ['dateFns.addWeeks', moved],
  ['dateFns.addMonths', moved],
  ['dateFns.startOfWeek', bound],
  ['dateFns.endOfWeek', bound],
  ['dateFns.startOfMonth', bound],
  ['dateFns.endOfMonth', bound],
  ['dateFns.getWeek', signature(['date'], number)],
  ['dateFns.dayName', bound],
  ['dateFns.formatDate', signature(['date', 'any'], text, 1)],
  ['dateFns.parseDate', bound],
  ['dateFns.diffInDays', signature(['date', 'date'], number)],
  ['dateFns.diffInWeeks', signature(['date', 'date'], number)],
  ['dateFns.toTimezone', signature(['date', 'any'], text, 1)],
  ...[...numberFunctions.keys()].map((name): [string, Signature] => [name, onNumbers]),
]);

/** What it can make nothing of is told; its value would always be absent. */
export function builtinCall({ name, arguments: given, span }: CallExpression, types: readonly ValueType[], typing: Typing): ValueType {
  const known = signatures.get(name.text);
  if (known === undefined) return unknown;
  if (given.length < known.least) {
    const count = known.least === 1 ? 'a value' : `${known.least} values`;
    typing.tell('argument-type', span, `\`${name.text}\` takes ${count}, and gets ${given.length === 0 ? 'none' : given.length}`);
  }
  for (const [index, each] of given.entries()) {
    const wanted = known.takes[index] ?? 'any';
    const type = given.length === 1 && ofMany.has(name.text) ? elementOf(types[index] ?? unknown) : (types[index] ?? unknown);
    if (canTake(type, wanted)) continue;
    const what = wanted === 'date' ? 'a date such as 2025-01-31' : 'a number';
    typing.tell('argument-type', each.span, `\`${name.text}\` takes ${what} here${mismatch(type)}`);
  }
  return known === onNumbers ? orNull(takenFrom(types)) : known.gives;
}

function canTake(type: ValueType, wanted: Wanted): boolean {
  const present = presentIn(type);
  if (wanted === 'any' || atomsOf(type).length === 0 || present.length === 0) return true;
  return present.some((each) => (wanted === 'date' ? canBeDate(each) : canBeNumber(each)));
}

/** Of a list, nothing is taken. */
function canBeDate(atom: AtomType): boolean {
  switch (atom.kind) {
    case 'literal':
      return typeof atom.value === 'string' && (date.parseText(atom.value) ?? datetime.parseText(atom.value)) !== undefined;
    case 'text':
      return atom.sample === undefined || /^\d{4}-\d{2}-\d{2}/.test(atom.sample);
    case 'attribute':
      return isTextual(atom.attribute) && [undefined, 'Date', 'DateTime'].includes(formOf(atom.attribute));
    default:
      return atom.kind === 'unknown';
  }
}

/** Also a text that reads as one. */
export function canBeNumber(atom: AtomType): boolean {
  switch (atom.kind) {
    case 'literal':
      return typeof atom.value === 'string' ? decimal.parseText(atom.value) !== undefined : typeof atom.value !== 'boolean';
    case 'text':
      return atom.sample === undefined;
    case 'attribute':
      return isNumeric(atom.attribute) || (!isBoolean(atom.attribute) && formOf(atom.attribute) === undefined);
    default:
      return atom.kind === 'unknown' || atom.kind === 'number';
  }
}
