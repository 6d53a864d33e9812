// What is gone and what is new that could be one thing under two names: only a person knows. Pure.

import type { Column, Table } from '../../../plan/rows/table.ts';
import { isNew } from './changes.ts';
import type { Match } from './match.ts';
import type { StoredTable } from './schema.ts';

export interface RenameCandidate {
  readonly table: string;
  /** Absent where the whole table is meant. */
  readonly column: string | undefined;
  readonly was: string;
}

export function renameCandidates(match: Match): readonly RenameCandidate[] {
  const columns = match.pairs.flatMap(({ wanted, columns: pairs, gone }) =>
    pairs
      .filter((pair) => isNew(pair) && !pair.wanted.name.startsWith('__') && typeof pair.wanted.computed !== 'string')
      .flatMap(({ wanted: column }): RenameCandidate[] => {
        const [only, ...more] = gone.filter((each) => each.type === column.type && each.kind === column.kind);
        return only === undefined || more.length > 0 ? [] : [{ table: wanted.name, column: column.name, was: only.name }];
      }),
  );
  const tables = match.pairs.filter(isNew).flatMap(({ wanted }): RenameCandidate[] => {
    const [only, ...more] = match.gone.filter((each) => isLike(each, wanted));
    return only === undefined || more.length > 0 ? [] : [{ table: wanted.name, column: undefined, was: only.name }];
  });
  return [...tables, ...columns];
}

/** The tables as if the model said `@was`. */
export function withFormerNames(tables: readonly Table[], answers: readonly RenameCandidate[]): readonly Table[] {
  return tables.map((table) => {
    const own = answers.filter((each) => each.table === table.name);
    const whole = own.find((each) => each.column === undefined);
    const columns = table.columns.map((column): Column => {
      const found = own.find((each) => each.column === column.name);
      return found === undefined ? column : { ...column, was: found.was };
    });
    return whole === undefined ? { ...table, columns } : { ...table, columns, was: whole.was };
  });
}

/** Most of what the one has, the other has too. */
function isLike(gone: StoredTable, wanted: Table): boolean {
  const shape = (table: Table) =>
    table.columns.filter((each) => !each.name.startsWith('__')).map((each) => `${each.name} ${each.type ?? each.kind}`);
  const before = new Set(shape(gone));
  const after = shape(wanted);
  const shared = after.filter((each) => before.has(each)).length;
  return shared > 0 && shared * 2 > Math.max(before.size, after.length);
}
