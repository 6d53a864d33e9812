// Each change of a model in words, with the rows it concerns: who may do it, what stands in its way, and the ways out.

import { unreachable } from '../../../errors.ts';
import type { Column } from '../../../plan/rows/table.ts';
import type { Value } from '../../../values/value.ts';
import type { SchemaSession } from '../../sql/ddl.ts';
import { heldWays } from '../../sql/foreign-objects.ts';
import { columnOf, quote } from '../../sql/names.ts';
import type { Change, ChangeForOthers } from './changes.ts';
import { computedNowWays, computedOtherwise, isComputedNow } from './computed.ts';
import { conversion } from './convert.ts';
import { named, newColumn, required, withFirst } from './fills.ts';
import { counted, listed, wasMark } from './refusal.ts';
import { countRows, duplicatesWhere, type Found, findRows, findValues, orphansWhere, valuesWhere } from './rows.ts';
import { addressingOf, endsOf, isContained, physicalTable, type StoredTable } from './schema.ts';

export interface Judged {
  readonly change: Change | ChangeForOthers;
  /** What it does: a sentence without its full stop. */
  readonly words: string;
  /** Whether a start does it by itself. */
  readonly atStart: boolean;
  /** How a start that leaves it to others says it; the words themselves where there is none. */
  readonly why: string | undefined;
  /** Why nobody can do it as things stand: a sentence with the rows. */
  readonly blocked: string | undefined;
  readonly ways: readonly string[];
  /** Whether somebody has to have said yes to it. */
  readonly asks: boolean;
}

export async function judge(change: Judged['change'], session: SchemaSession): Promise<Judged> {
  const { words, ...more } = await judgement(change, session);
  return { change, words, atStart: true, why: undefined, blocked: undefined, ways: [], asks: false, ...more };
}

type Judgement = Pick<Judged, 'words'> & Partial<Judged>;
type Of<K extends Judged['change']['kind']> = Extract<Judged['change'], { readonly kind: K }>;
type OfColumn = Of<'required-column' | 'narrowed-column' | 'loosened-column' | 'recomputed-column'>;

async function judgement(change: Judged['change'], session: SchemaSession): Promise<Judgement> {
  switch (change.kind) {
    case 'unclear-name':
      return unclear(change);
    case 'new-table':
      return { words: `${change.table.name} is new` };
    case 'restored-table':
      return { words: `${change.table.name} is back, with the ${counted(await countRows(session, change.retired.stored))} it had` };
    case 'renamed-table':
      return {
        words: `${change.before.name} is called ${change.table.name} from now on, and keeps its ${counted(await rowsOf(change, session))}`,
      };
    case 'gone-table':
      return goneTable(change, session);
    case 'new-column':
      return newColumn(change, session);
    case 'restored-column':
      return { words: `${named(change)} is back, with the values it had` };
    case 'renamed-column':
      return {
        words: `${named({ table: change.before, column: change.old })} is called ${named(change)} from now on, and keeps its values`,
      };
    case 'gone-column':
      return goneColumn(change, session);
    case 'retyped-column':
      return retyped(change, session);
    case 'widened-column':
      return { words: `${named(change)} takes ${typeOf(change.column)} from now on, not only ${typeOf(change.old)}` };
    case 'required-column':
      return required(change, session);
    case 'narrowed-column':
      return narrowed(change, session);
    case 'loosened-column':
      return { words: loosened(change) };
    case 'recomputed-column':
      return { words: computedOtherwise(named(change), change.column, await rowsOf(change, session)) };
    case 'new-unique':
      return unique(change, session);
    case 'new-index':
      return { words: `${change.table.name} is found faster by ${change.columns.join(', ')}` };
    case 'gone-index':
      return {
        words: change.unique
          ? `${change.columns.join(', ')} of ${change.table.name} need not be unique any more`
          : `${change.table.name} is no longer indexed by ${change.columns.join(', ')}`,
      };
    case 'new-search':
      return { words: `${change.table.name} has an index of the words of ${change.columns.join(', ')}` };
    case 'gone-search':
      return { words: `${change.table.name} has no index of words any more` };
    case 'new-reference':
      return reference(change, session);
    case 'gone-parent':
      return goneParent(change, session);
    case 'contains-to-between':
      return containsToBetween(change, session);
    case 'between-to-contains':
      return betweenToContains(change, session);
    case 'new-key':
      return newKey(change, session);
    case 'addition':
      return addition(change);
    default:
      return unreachable(change);
  }
}

function addition({ addition: { what, table, column }, fate }: Of<'addition'>): Judgement {
  const name = `${table}.${column}`;
  if (fate === 'left') {
    const words = `${what} is not the platform’s, and goes on with what is retired of ${name}`;
    return {
      words,
      atStart: false,
      asks: true,
      ways: [`change it to what takes the place of ${column}, once platform migrate apply is done`],
    };
  }
  const words = `${what} is not the platform’s, and holds ${name} as it is`;
  return { words, atStart: false, blocked: words, ways: heldWays };
}

const retires = 'platform migrate apply retires it: hidden, kept, and back when the model has it again';
const applies = 'platform migrate apply does it';

function unclear({ table, column, was }: Of<'unclear-name'>): Judgement {
  const name = column === undefined ? table.name : named({ table, column });
  const local = was.replace(/^__parent_[^$]*\$/, '').replace(/^.*\//, '');
  return {
    words: `${name} says @was("${local}")`,
    atStart: false,
    blocked: `${name} says @was("${local}"), but ${local} is stored and in the model as well: whose its data is, nobody can tell`,
    ways: ['take @was (:was) away where it is something new', 'where names move on, go in two steps: first to a name that nothing has'],
  };
}

async function goneTable({ before }: Of<'gone-table'>, session: SchemaSession): Promise<Judgement> {
  const found = await findRows(session, physicalTable(before));
  const local = before.name.slice(before.name.indexOf('/') + 1);
  return {
    words: `${before.name} is retired${withRows(found, ', with')}`,
    why: `${before.name} is stored but no longer in the model${withRows(found, '; it holds')}`,
    atStart: await isForgotten(found, session),
    ways: [retires, `${wasMark(local)} in what it is called now keeps its instances there`],
  };
}

async function goneColumn({ table, before, old }: Of<'gone-column'>, session: SchemaSession): Promise<Judgement> {
  const name = `${before.name}.${old.name}`;
  const found = await findRows(session, physicalTable(before), `${quote(old.name)} IS NOT NULL`);
  if (table.columns.some((each) => each.name === old.name && isComputedNow(old, each))) {
    const words = `${name} is computed from now on; what it held is retired${withRows(found, ', with the values of')}`;
    const why = `${name} would be computed${withRows(found, ', but has values that somebody has set, in')}`;
    return { words, why, atStart: found.count === 0, ways: computedNowWays };
  }
  return {
    words: `${name} is retired${withRows(found, ', with the values of')}`,
    why: `${name} is stored but no longer in the model${withRows(found, '; it has a value in')}`,
    atStart: await isForgotten(found, session),
    ways: [retires, `${wasMark(old.name)} on the attribute that takes its place keeps the values there`],
  };
}

/** What holds nothing is retired by a start, unless another process that serves the model before may be about to write it. */
async function isForgotten({ count }: Found, { isShared }: SchemaSession): Promise<boolean> {
  return count === 0 && (isShared === undefined || !(await isShared()));
}

async function retyped(
  { table, before, column, old }: Of<'retyped-column' | 'widened-column'>,
  session: SchemaSession,
): Promise<Judgement> {
  const stored = physicalTable(before);
  const name = `${table.name}.${column.name}`;
  const count = await countRows(session, stored.name, `${quote(old.name)} IS NOT NULL`);
  const words = `${name} changes from ${typeOf(old)} to ${typeOf(column)}`;
  const why = `${name} is stored as ${typeOf(old)} and would become ${typeOf(column)}`;
  if (count === 0) return { words };
  const convert = conversion(old, column);
  const ways = ['or give the new type to a new attribute, copy the values by an event, and retire this one'];
  if (convert === undefined) {
    return {
      words,
      atStart: false,
      blocked: `${why}, and no value of the one is one of the other`,
      ways: [ways[0]?.replace('or ', '') ?? ''],
    };
  }
  const { count: misfit, first } = await findValues(session, stored, old.name, (value) => convert(value) !== undefined);
  const blocked =
    misfit === 0
      ? undefined
      : `${why}, but ${counted(misfit)} ${misfit === 1 ? 'holds' : 'hold'} a value that does not fit: ${listed(misfit, first)}`;
  const how =
    misfit === 0 ? `platform migrate apply converts ${count === 1 ? 'the value' : `the ${count} values`}` : 'change those values first';
  return {
    why,
    words: `${words}; ${count === 1 ? '1 value is' : `${count} values are`} converted`,
    atStart: false,
    blocked,
    ways: [how, ...ways],
  };
}

async function narrowed(change: OfColumn, session: SchemaSession): Promise<Judgement> {
  const { before, column, old } = change;
  const values = column.values ?? [];
  const words = `${named(change)} allows ${values.join(', ')} from now on`;
  if (old.kind !== 'text' && old.kind !== 'json') return { words };
  const stored = physicalTable(before);
  const found =
    old.kind === 'text'
      ? await findRows(session, stored, valuesWhere({ ...column, name: old.name }, values))
      : await findValues(session, stored, old.name, (value) => isAmong(value, values));
  if (found.count === 0) return { words };
  return {
    words,
    blocked: `${found.count} stored ${found.count === 1 ? 'instance holds' : 'instances hold'} a value of ${named(change)} that the model no longer allows: ${listed(found.count, found.first)}`,
    ways: ['change those values first', 'leave the values that are in use in the model'],
  };
}

/** Of one value, or of each in a list. */
function isAmong(value: Value, allowed: readonly string[]): boolean {
  return (Array.isArray(value) ? value : [value]).every((each) => typeof each === 'string' && allowed.includes(each));
}

async function unique({ table, before, columns, old }: Of<'new-unique'>, session: SchemaSession): Promise<Judgement> {
  const names = columns.join(', ');
  const words = `${names} of ${table.name} ${columns.length === 1 ? 'is' : 'are'} unique from now on`;
  const stored = physicalTable(before);
  const found =
    old === undefined
      ? await sameFill(columns, table.columns, before, session)
      : await findRows(session, stored, duplicatesWhere(session, stored, old));
  if (found.count === 0) return { words };
  return {
    words,
    blocked: `${table.name} holds instances with the same ${names}, which would have to be unique: ${listed(found.count, found.first)}`,
    ways: [
      old === undefined
        ? 'leave it without @unique (:unique) or @default (:default)'
        : 'give them different values first, or delete all but one',
    ],
  };
}

function loosened(change: OfColumn): string {
  const { column, old } = change;
  if (old.required && !column.required) return `${named(change)} is optional from now on`;
  return column.values === undefined
    ? `${named(change)} allows every value from now on`
    : `${named(change)} allows ${column.values.join(', ')} from now on`;
}

const nobody: Found = { count: 0, first: [] };

/** A default that all rows get is the same for all of them. */
async function sameFill(names: readonly string[], columns: readonly Column[], before: StoredTable, session: SchemaSession): Promise<Found> {
  const all = names.map((name) => columns.find((each) => each.name === name));
  if (!all.every((each) => each?.fill !== undefined && !['uuid', 'count'].includes(each.fill.kind))) return nobody;
  const found = await findRows(session, physicalTable(before));
  return found.count > 1 ? found : nobody;
}

async function reference({ before, key, old, table }: Of<'new-reference'>, session: SchemaSession): Promise<Judgement> {
  const [target = ''] = key.references;
  const words = `${table.name}.${old.name} refers to ${key.table}.${target} from now on`;
  const isThere = await session.executor.rows(session.ddl.tableExists, [key.table]);
  if (isThere.length === 0) return { words };
  const found = await findRows(session, physicalTable(before), orphansWhere(session, before, old.name, key.table, target));
  if (found.count === 0) return { words };
  return {
    words,
    blocked: `${table.name}.${old.name} would refer to ${key.table}.${target}, but in ${counted(found.count)} it leads nowhere: ${listed(found.count, found.first)}`,
    ways: ['change those values first', 'make what they refer to'],
  };
}

async function goneParent({ before, old, relationship }: Of<'gone-parent'>, session: SchemaSession): Promise<Judgement> {
  const found = await findRows(session, physicalTable(before), `${quote(old.name)} IS NOT NULL`);
  const local = relationship.slice(relationship.indexOf('/') + 1);
  return {
    words: `${relationship} is retired${withRows(found, `, and of ${before.name} stay`)}`,
    why: `${relationship} is stored but no longer in the model${withRows(found, '; by it stand')}`,
    atStart: found.count === 0,
    ways: [retires, `${wasMark(local)} after the ends of what it is called now keeps the children there`],
  };
}

async function containsToBetween({ before, old, link }: Of<'contains-to-between'>, session: SchemaSession): Promise<Judgement> {
  const found = await findRows(session, physicalTable(before), `${quote(old.name)} IS NOT NULL`);
  return {
    words: `${link.name} was contains and is between from now on; ${counted(found.count)} of ${before.name} are linked to what they stood under`,
    atStart: found.count === 0,
    ways: [applies, 'or give the new relationship another name, link by an event, and retire this one'],
  };
}

async function betweenToContains({ table, before, link }: Of<'between-to-contains'>, session: SchemaSession): Promise<Judgement> {
  const count = await countRows(session, link.name);
  const end = endsOf(link).find((each) => each.table === before.name)?.columns[0] ?? '';
  const several = await findRows(session, physicalTable(link), duplicatesWhere(session, link, [columnOf(link, end)]));
  const [one, other] = endsOf(link);
  if (count > 0 && one?.table === other?.table) return betweenItself(link.name);
  const words = `${link.name} was between and is contains from now on; ${count} ${count === 1 ? 'link becomes' : 'links become'} the place of ${table.name}`;
  return {
    words,
    atStart: count === 0,
    blocked:
      several.count === 0
        ? undefined
        : `${link.name} would be contains, but instances of ${before.name} are linked more than once, by ${listed(several.count, several.first)}`,
    ways:
      several.count === 0 ? [applies] : ['unlink all but one of them first', 'or give the new relationship another name, and keep both'],
  };
}

/** The links may go in circles, in which nobody is the first parent. */
function betweenItself(name: string): Judgement {
  const words = `${name} was between and is contains from now on`;
  const ways = ['give the new relationship another name, move the instances by an event, and retire this one'];
  return { words, atStart: false, blocked: `${name} ties instances of one entity, which may go in circles`, ways };
}

async function newKey({ table, before, reason }: Of<'new-key'>, session: SchemaSession): Promise<Judgement> {
  const stored = physicalTable(before);
  const count = await countRows(session, stored.name);
  const words = `the keys of ${table.name} change: ${keyWords[reason]}`;
  if (count === 0 || reason === 'again') return { words };
  const done = { words: `${words}; ${counted(count)} stay`, atStart: false, ways: [applies] };
  const name = isContained(table) ? addressingOf(table).identifier : (table.primaryKey[0] ?? '');
  const identifier = before.columns.find((each) => each.name === name);
  if (reason === 'contained' || identifier === undefined) return done;
  // Below different parents the same identifier may stand more than once.
  const same = isContained(table) ? nobody : await findRows(session, stored, duplicatesWhere(session, stored, [identifier]));
  const none = await findRows(session, stored, `${quote(identifier.name)} IS NULL`);
  const inTheWay = same.count > 0 ? same : none;
  if (inTheWay.count === 0) return done;
  const what = same.count > 0 ? `have the same ${name}` : `have no ${name}`;
  const blocked = `the keys of ${table.name} change, but ${counted(inTheWay.count)} ${what}: ${listed(inTheWay.count, inTheWay.first)}`;
  return { ...done, blocked, ways: keyWays[reason === 'free' ? 'free' : 'identifier'] };
}

const keyWays = {
  free: [
    'give it a @guid first, by which it is known when it stands alone, and take away the @id with the relationship',
    'or make a new entity, copy by an event, and retire this one',
  ],
  identifier: ['give them different values first', 'or make a new entity, copy by an event, and retire this one'],
} as const;

const keyWords = {
  identifier: 'another attribute identifies its instances',
  contained: 'its instances stand under a parent from now on, and those that are there under none',
  again: 'its instances stand under their parents again',
  free: 'its instances no longer stand under a parent',
} as const;

function rowsOf({ before }: { readonly before: StoredTable }, session: SchemaSession): Promise<number> {
  return countRows(session, before.name);
}

export function typeOf(column: Column): string {
  return column.type ?? column.kind;
}

function withRows(found: Found, text: string): string {
  return found.count === 0 ? '; nothing is stored in it' : `${text} ${withFirst(found)}`;
}
