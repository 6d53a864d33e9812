// What a changed model changes in the tables, as a list: what is added, renamed, retired, restored, narrowed. Pure.

import { type Column, type ForeignKey, renamedPart, type Table } from '../../../plan/rows/table.ts';
import { storedName, versionColumn } from '../../../plan/rows/tables.ts';
import type { ForeignObject } from '../../sql/foreign-objects.ts';
import { isComputedOtherwise } from './computed.ts';
import { isWider } from './convert.ts';
import { type ColumnPair, isDerived, type Match, type TablePair } from './match.ts';
import {
  addressingOf,
  endsOf,
  isContained,
  keyReferences,
  type RetiredColumn,
  type RetiredTable,
  type StoredColumn,
  type StoredTable,
} from './schema.ts';

/** `before` is the table as it is stored; what concerns rows is asked of it. */
export type Change =
  | { readonly kind: 'unclear-name'; readonly table: Table; readonly column: Column | undefined; readonly was: string }
  | { readonly kind: 'new-table'; readonly table: Table }
  | { readonly kind: 'restored-table'; readonly table: Table; readonly retired: RetiredTable }
  | { readonly kind: 'renamed-table'; readonly table: Table; readonly before: StoredTable }
  | { readonly kind: 'gone-table'; readonly before: StoredTable }
  | { readonly kind: 'new-column'; readonly table: Table; readonly before: StoredTable; readonly column: Column }
  | {
      readonly kind: 'restored-column';
      readonly table: Table;
      readonly before: StoredTable;
      readonly column: Column;
      readonly retired: RetiredColumn;
    }
  | {
      readonly kind: 'renamed-column';
      readonly table: Table;
      readonly before: StoredTable;
      readonly column: Column;
      readonly old: StoredColumn;
    }
  | { readonly kind: 'gone-column'; readonly table: Table; readonly before: StoredTable; readonly old: StoredColumn }
  | {
      readonly kind: 'retyped-column' | 'widened-column';
      readonly table: Table;
      readonly before: StoredTable;
      readonly column: Column;
      readonly old: StoredColumn;
    }
  | {
      readonly kind: 'required-column' | 'narrowed-column' | 'loosened-column' | 'recomputed-column';
      readonly table: Table;
      readonly before: StoredTable;
      readonly column: Column;
      readonly old: StoredColumn;
    }
  /** `old` are the columns as they are stored; absent where one of them is not stored yet. */
  | {
      readonly kind: 'new-unique';
      readonly table: Table;
      readonly before: StoredTable;
      readonly columns: readonly string[];
      readonly old: readonly StoredColumn[] | undefined;
    }
  | { readonly kind: 'new-index' | 'gone-index'; readonly table: Table; readonly columns: readonly string[]; readonly unique: boolean }
  /** The index of words, with the columns that it is on. */
  | {
      readonly kind: 'new-search' | 'gone-search';
      readonly table: Table;
      readonly before: StoredTable;
      readonly columns: readonly string[];
    }
  | {
      readonly kind: 'new-reference';
      readonly table: Table;
      readonly before: StoredTable;
      readonly key: ForeignKey;
      readonly old: StoredColumn;
    }
  | {
      readonly kind: 'gone-parent';
      readonly table: Table;
      readonly before: StoredTable;
      readonly old: StoredColumn;
      readonly relationship: string;
    }
  /** A contains relationship becomes a between relationship of the same name, or the other way round. */
  | {
      readonly kind: 'contains-to-between';
      readonly table: Table;
      readonly before: StoredTable;
      readonly old: StoredColumn;
      readonly link: Table;
    }
  | {
      readonly kind: 'between-to-contains';
      readonly table: Table;
      readonly before: StoredTable;
      readonly link: StoredTable;
      readonly column: string;
    }
  | {
      readonly kind: 'new-key';
      readonly table: Table;
      readonly before: StoredTable;
      readonly reason: 'identifier' | 'contained' | 'again' | 'free';
    };

/** Something of others on a column that goes, or gets another type: it stays with what is retired, or stands in the way. */
export interface ChangeForOthers {
  readonly kind: 'addition';
  readonly before: StoredTable;
  readonly addition: ForeignObject;
  readonly fate: 'left' | 'held';
}

export function changesOf(match: Match): readonly Change[] {
  const turned = turnedLinks(match);
  const links = new Set(turned.map((each) => each.link.id));
  return [
    ...match.unclear.map((each): Change => ({ kind: 'unclear-name', ...each })),
    ...match.gone.filter((each) => !links.has(each.id)).map((before): Change => ({ kind: 'gone-table', before })),
    ...match.pairs.flatMap((pair) => ofTable(pair, match, turned)),
  ];
}

export interface TurnedLink {
  readonly link: StoredTable;
  readonly pair: TablePair;
  readonly column: string;
}

/** Links that are gone while a contains relationship has got their name. */
export function turnedLinks(match: Match): readonly TurnedLink[] {
  return match.gone.flatMap((link) =>
    match.pairs.flatMap((pair) =>
      (pair.wanted.addressing?.parents ?? [])
        .filter((each) => storedName(each.relationship) === link.name && endsOf(link).length === 2)
        .map((each) => ({ link, pair, column: each.column })),
    ),
  );
}

/** The link that a contains relationship of a stored table has become. */
export function turnedParent(old: StoredColumn, before: StoredTable, match: Match): Table | undefined {
  const parent = addressingOf(before).parents.find((each) => each.column === old.name);
  if (parent === undefined) return undefined;
  return match.pairs.find(
    (each) => each.before === undefined && each.wanted.name === storedName(parent.relationship) && endsOf(each.wanted).length === 2,
  )?.wanted;
}

export function isNew({ before, retired }: TablePair | ColumnPair): boolean {
  return before === undefined && retired === undefined;
}

function ofTable(pair: TablePair, match: Match, turned: readonly TurnedLink[]): readonly Change[] {
  const { wanted: table, before, retired } = pair;
  // As it stands on disk: rows are asked of it.
  const old = before ?? (retired === undefined ? undefined : { ...retired.table, name: retired.stored });
  if (old === undefined) return [{ kind: 'new-table', table }];
  const renamed: readonly Change[] = old.name === table.name || before === undefined ? [] : [{ kind: 'renamed-table', table, before }];
  const restored: readonly Change[] = retired === undefined ? [] : [{ kind: 'restored-table', table, retired }];
  return [
    ...restored,
    ...renamed,
    ...pair.gone.map((each) => goneColumn(each, old, pair, match)),
    ...pair.columns.flatMap((each) => ofColumn(each, old, table)),
    ...turned
      .filter((each) => each.pair === pair)
      .map(({ link, column }): Change => ({ kind: 'between-to-contains', table, before: old, link, column })),
    ...ofKey(pair, old),
    ...ofIndexes(pair, old),
    ...ofSearch(pair, old),
    ...ofReferences(pair, old),
  ];
}

function goneColumn(old: StoredColumn, before: StoredTable, { wanted: table }: TablePair, match: Match): Change {
  const parent = addressingOf(before).parents.find((each) => each.column === old.name);
  if (parent === undefined) return { kind: 'gone-column', table, before, old };
  const link = turnedParent(old, before, match);
  if (link !== undefined) return { kind: 'contains-to-between', table, before, old, link };
  return { kind: 'gone-parent', table, before, old, relationship: parent.relationship };
}

function ofColumn({ wanted: column, before: old, retired }: ColumnPair, before: StoredTable, table: Table): readonly Change[] {
  const known = old ?? retired?.column;
  if (known === undefined) return isDerived(column) ? [] : [{ kind: 'new-column', table, before, column }];
  const changes: Change[] = [];
  if (retired !== undefined) changes.push({ kind: 'restored-column', table, before, column, retired });
  else if (known.name !== column.name) changes.push({ kind: 'renamed-column', table, before, column, old: known });
  // The values of keys follow what they point at.
  if (!isKey(table, column) && (known.kind !== column.kind || known.type !== column.type)) {
    const kind = isWider(known, column) ? 'widened-column' : 'retyped-column';
    changes.push({ kind, table, before, column, old: { ...known, name: retired?.stored ?? known.name } });
  }
  const stored = { ...known, name: retired?.stored ?? known.name };
  if (column.required && (!known.required || retired !== undefined))
    changes.push({ kind: 'required-column', table, before, column, old: stored });
  if (column.values !== undefined && !(known.values?.every((value) => column.values?.includes(value)) ?? false))
    changes.push({ kind: 'narrowed-column', table, before, column, old: stored });
  if (isComputedOtherwise(known, column)) changes.push({ kind: 'recomputed-column', table, before, column, old: stored });
  const isLooser = known.required !== column.required || JSON.stringify(known.values) !== JSON.stringify(column.values);
  if (changes.length === 0 && isLooser) changes.push({ kind: 'loosened-column', table, before, column, old: stored });
  return changes.filter((each) => column.name !== versionColumn || each.kind !== 'required-column');
}

export function isKey(table: Table, column: Column): boolean {
  return keyReferences(table).some((each) => each.columns.includes(column.name));
}

function ofKey(pair: TablePair, before: StoredTable): readonly Change[] {
  const { wanted: table } = pair;
  if (isContained(before) !== isContained(table)) {
    const isBack = pair.columns.some((each) => each.retired !== undefined && isKey(table, each.wanted));
    return [{ kind: 'new-key', table, before, reason: isContained(table) ? (isBack ? 'again' : 'contained') : 'free' }];
  }
  return identifierChanges(pair, before) ? [{ kind: 'new-key', table, before, reason: 'identifier' }] : [];
}

/** Whether rows are told apart by another column than before; one with another name or type is the same. */
export function identifierChanges({ wanted, columns }: TablePair, before: StoredTable): boolean {
  const [wasKey, isNow] = isContained(before)
    ? [[addressingOf(before).identifier], [addressingOf(wanted).identifier]]
    : [before.primaryKey, wanted.primaryKey];
  if (wasKey[0] === '') return false;
  const named = (name: string) => columns.find((each) => each.wanted.name === name)?.before?.name;
  return JSON.stringify(isNow.map(named)) !== JSON.stringify(wasKey);
}

function ofIndexes({ wanted: table, columns: pairs }: TablePair, before: StoredTable): readonly Change[] {
  const former = (name: string): StoredColumn | undefined => pairs.find((each) => each.wanted.name === name)?.before;
  const now = (name: string): string => pairs.find((each) => each.before?.name === name)?.wanted.name ?? name;
  return [true, false].flatMap((unique) => {
    const stored = unique ? before.uniques : before.indexes;
    const old = stored.map((columns) => columns.map((each) => renamedPart(each, now))).filter((each) => !isByText(each, pairs));
    const wanted = unique ? table.uniques : table.indexes;
    const gone = old.filter((each) => !includes(wanted, each));
    return [
      ...gone.map((columns): Change => ({ kind: 'gone-index', table, columns, unique })),
      ...wanted
        .filter((each) => !includes(old, each))
        .map((columns): Change => {
          if (!unique) return { kind: 'new-index', table, columns, unique };
          const stored = columns.flatMap((each) => former(each) ?? []);
          return { kind: 'new-unique', table, before, columns, old: stored.length === columns.length ? stored : undefined };
        }),
    ];
  });
}

function ofSearch({ wanted: table, columns: pairs }: TablePair, before: StoredTable): readonly Change[] {
  const now = before.search?.map((name) => pairs.find((each) => each.before?.name === name)?.wanted.name ?? name);
  if (JSON.stringify(now) === JSON.stringify(table.search)) return [];
  return table.search === undefined
    ? [{ kind: 'gone-search', table, before, columns: now ?? [] }]
    : [{ kind: 'new-search', table, before, columns: table.search }];
}

/** Whether an index of these columns was made before times were compared by moment, and is made anew. */
export function isByText(columns: readonly string[], pairs: readonly ColumnPair[]): boolean {
  return pairs.some(({ wanted, before }) => columns.includes(wanted.name) && wanted.byMoment === true && before?.byMoment !== true);
}

/** References from columns that are there; those of new columns have no values yet. */
function ofReferences({ wanted: table, columns }: TablePair, before: StoredTable): readonly Change[] {
  return table.foreignKeys.flatMap((key): Change[] => {
    const [name = ''] = key.columns;
    const pair = columns.find((each) => each.wanted.name === name);
    const old = pair?.before;
    if (old === undefined || key.onUpdate === 'cascade') return [];
    const known = before.foreignKeys.some((each) => each.columns[0] === old.name && each.onUpdate !== 'cascade');
    return known ? [] : [{ kind: 'new-reference', table, before, key, old }];
  });
}

export function includes(groups: readonly (readonly string[])[], group: readonly string[]): boolean {
  return groups.some((each) => JSON.stringify(each) === JSON.stringify(group));
}

/** Whether something may be computed from what the change has put in its place: then all of it is computed anew. */
export function givesOtherValues({ kind }: { readonly kind: string }): boolean {
  return others.has(kind);
}

const others: ReadonlySet<string> = new Set([
  'restored-table',
  'gone-table',
  'restored-column',
  'gone-column',
  'retyped-column',
  'gone-parent',
  'contains-to-between',
  'between-to-contains',
  'new-key',
] satisfies readonly Change['kind'][]);
