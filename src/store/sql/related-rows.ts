// Which rows an instance includes over several levels, for counting them before any of them is read.

import type { Condition } from '../../plan/query/condition.ts';
import type { Field, Related } from '../../plan/query/shape.ts';
import type { Table } from '../../plan/rows/table.ts';
import { quote } from './names.ts';

/** What is asked of rows besides that they are related, spelled: parameters are numbered with it. */
type Asked = (where: Condition | undefined, table: Table, alias: string) => readonly string[];

/**
 * One subquery for each level below the first that may multiply those before it: a row for each instance that is included there. `outer` is
 * what the row around them is called. Shorter ways come first: what comes behind them is asked for where these are few.
 */
export function deepRows(fields: readonly Field[], outer: string, asked: Asked): readonly string[] {
  return multiplying(fields, []).map((way) => rowsAlong(way, outer, asked));
}

function multiplying(fields: readonly Field[], way: readonly Related[]): readonly (readonly Related[])[] {
  // How many come of those that have a limit is known without counting.
  const longer = fields.flatMap((each) => (each.kind === 'related' && each.related.paged !== true ? [[...way, each.related]] : []));
  return [
    ...longer.filter((each) => each.at(-1)?.single === false && each.filter(({ single }) => !single).length > 1),
    ...longer.flatMap((each) => multiplying(each.at(-1)?.output.fields ?? [], each)),
  ];
}

function rowsAlong(way: readonly Related[], outer: string, asked: Asked): string {
  const tables: string[] = [];
  const conditions: string[] = [];
  let around = outer;
  for (const [level, { table, column, key, through, where }] of way.entries()) {
    const [own, link] = [`d${level}`, `e${level}`];
    let start = `${around}.${quote(key)}`;
    if (through !== undefined) {
      tables.push(`${quote(through.table.name)} AS ${link}`);
      conditions.push(`${link}.${quote(through.from)} = ${start}`, ...asked(through.where, through.table, link));
      start = `${link}.${quote(through.to)}`;
    }
    tables.push(`${quote(table.name)} AS ${own}`);
    conditions.push(`${own}.${quote(column)} = ${start}`, ...asked(where, table, own));
    around = own;
  }
  return `SELECT 1 AS n FROM ${tables.join(', ')} WHERE ${conditions.join(' AND ')}`;
}
