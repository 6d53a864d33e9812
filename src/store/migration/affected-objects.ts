// What a migration means for what others have put on the tables: what is made again, what stays with something retired, what stands in the way.

import { unreachable } from '../../errors.ts';
import type { Table } from '../../plan/rows/table.ts';
import type { SchemaSession } from '../sql/ddl.ts';
import type { ForeignObject } from '../sql/foreign-objects.ts';
import { isConverted } from './columns.ts';
import type { Change, ChangeForOthers } from './diff/changes.ts';
import { isDerived, type Match } from './diff/match.ts';
import { isContained, keyReferences, physicalTable, type StoredTable } from './diff/schema.ts';
import { movedIn, rekeyed, type Standing } from './keys.ts';

export interface AffectedObjects {
  readonly changes: readonly ChangeForOthers[];
  /** What is made again, in words: no statement is known before. */
  readonly carried: readonly string[];
}

export async function additionsIn(match: Match, changes: readonly Change[], { executor, ddl }: SchemaSession): Promise<AffectedObjects> {
  const touched = [...touchedBy(changes), ...(ddl.inPlace === undefined ? remade(match, changes) : rekeyedColumns(match))];
  const tables = [...new Set(touched.map(({ before }) => before))];
  const all = [...match.gone, ...match.pairs.flatMap((each) => each.before ?? [])].map(physicalTable);
  const found = tables.length === 0 ? [] : await ddl.additions.list(executor, tables.map(physicalTable), all);
  const told = new Map<string, ChangeForOthers>();
  const carried = new Set<string>();
  for (const addition of found) {
    const concerned = touched.filter(
      ({ before, column }) => before.name === addition.table && (column ?? addition.column) === addition.column,
    );
    const fate = worst(concerned.map((each) => fateOf(each.how, addition)));
    const [first] = concerned;
    if (fate === 'carried') carried.add(`${addition.what} on ${addition.table} is made again`);
    else if (fate !== undefined && first !== undefined)
      told.set(`${addition.what} ${addition.table} ${addition.column}`, { kind: 'addition', before: first.before, addition, fate });
  }
  return { changes: [...told.values()], carried: [...carried] };
}

/** `replaced`: another column takes its place; `retired`: it goes out of sight; `retyped`, `dropped`: on disk; `remade`: with its table. */
interface Touched {
  readonly before: StoredTable;
  /** Absent where all of the table is meant. */
  readonly column: string | undefined;
  readonly how: 'replaced' | 'retired' | 'retyped' | 'dropped' | 'keyed' | 'remade';
}

type Fate = 'held' | 'left' | 'carried';

function fateOf(how: Touched['how'], { hold }: ForeignObject): Fate | undefined {
  if (how === 'remade') return 'carried';
  if (hold === 'points') return 'held';
  switch (how) {
    case 'replaced':
      return hold === 'reads' ? 'left' : 'carried';
    case 'retired':
      return hold === 'carried' ? undefined : 'left';
    case 'retyped':
      return hold === 'carried' ? undefined : 'held';
    case 'dropped':
      return 'held';
    case 'keyed':
      return undefined;
    default:
      return unreachable(how);
  }
}

function worst(fates: readonly (Fate | undefined)[]): Fate | undefined {
  return (['held', 'left', 'carried'] as const).find((each) => fates.includes(each));
}

function touchedBy(changes: readonly Change[]): readonly Touched[] {
  return changes.flatMap((change): readonly Touched[] => {
    switch (change.kind) {
      case 'gone-column':
      case 'gone-parent':
      case 'contains-to-between':
        return [{ before: change.before, column: change.old.name, how: 'retired' }];
      case 'retyped-column':
      case 'widened-column': {
        const { before, old, column } = change;
        return isConverted(before, old, column) ? [{ before, column: old.name, how: 'replaced' }] : [];
      }
      default:
        return [];
    }
  });
}

/** Where keys change in place: columns that hold keys get another type, those that a contained instance has alone come and go. */
function rekeyedColumns(match: Match): readonly Touched[] {
  const pairs = match.pairs.map((pair): Standing => {
    const old = pair.before ?? pair.retired?.table;
    return { ...pair, id: old?.id ?? pair.wanted.name, old };
  });
  const anew = new Set(rekeyed(pairs, movedIn(match, pairs)));
  const names = new Set([...anew].map((each) => each.wanted.name));
  return pairs.flatMap((pair): readonly Touched[] => {
    const { before, wanted } = pair;
    if (before === undefined) return [];
    const key: readonly Touched[] = anew.has(pair) ? before.primaryKey.map((column) => ({ before, column, how: 'keyed' })) : [];
    const holders = keyReferences(wanted).filter((each) => names.has(each.table));
    const retyped = holders.flatMap(({ columns: [name] }) => {
      const column = pair.columns.find((each) => each.wanted.name === name);
      return column?.before === undefined || column.before.kind === column.wanted.kind ? [] : [column.before.name];
    });
    const dropped = anew.has(pair) && isContained(before) && !isContained(wanted) ? derivedOf(before) : [];
    return [
      ...key,
      ...retyped.map((column): Touched => ({ before, column, how: 'retyped' })),
      ...dropped.map((column): Touched => ({ before, column, how: 'dropped' })),
    ];
  });
}

function derivedOf(table: Table): readonly string[] {
  return table.columns.filter(isDerived).map((each) => each.name);
}

/** Where a table whose keys change is made anew, everything on it is. */
function remade(match: Match, changes: readonly Change[]): readonly Touched[] {
  if (changes.length === 0) return [];
  const rebuilt = match.pairs.flatMap(({ before, wanted }) => {
    const same =
      before === undefined ||
      JSON.stringify([before.primaryKey, before.foreignKeys]) === JSON.stringify([wanted.primaryKey, wanted.foreignKeys]);
    return same ? [] : [before];
  });
  const gone = match.gone.filter((each) => each.foreignKeys.length > 0);
  return [...rebuilt, ...gone].map((before): Touched => ({ before, column: undefined, how: 'remade' }));
}
