// Which rows an instance includes over several levels, for counting them before any of them is read.

import type { Condition } from '../plan/condition.ts';
import type { Field, Related } from '../plan/shape.ts';
import type { Table } from '../plan/table.ts';
import { quote } from './sql-names.ts';

/**
 * One subquery for each level below the first that may multiply those before it: a row for each instance that is included there. `outer` is
 * what the row around them is called, `asked` spells what is asked of rows besides. Shorter ways come first: what comes behind them is asked for where these are few.
 */
export function deepRows(fields: readonly Field[], outer: string, asked: Asked): readonly string[] {
  return below(fields, { from: '', where: '', level: 0, multiplied: 0, key: (column) => `${outer}.${quote(column)}` }, asked);
}

type Asked = (where: Condition | undefined, table: Table, alias: string) => readonly string[];

interface Way {
  /** The tables on it, joined. */
  readonly from: string;
  /** What finds the rows of the first of them. */
  readonly where: string;
  readonly level: number;
  /** How many of its levels may hold more than one. */
  readonly multiplied: number;
  /** A column of the rows that it leads to. */
  key(column: string): string;
}

function below(fields: readonly Field[], way: Way, asked: Asked): readonly string[] {
  const further = fields.flatMap((each) =>
    each.kind === 'related' ? [{ related: each.related, way: longer(way, each.related, asked) }] : [],
  );
  return [
    ...further.flatMap(({ related, way: { from, where, multiplied } }) =>
      !related.single && multiplied > 1 ? [`SELECT 1 AS n FROM ${from} WHERE ${where}`] : [],
    ),
    ...further.flatMap(({ related, way: next }) => below(related.output.fields, next, asked)),
  ];
}

function longer(way: Way, { table, column, key, through, where, single }: Related, asked: Asked): Way {
  const [own, link] = [`d${way.level}`, `e${way.level}`];
  const target = `${quote(table.name)} AS ${own}`;
  const found = (to: string): string => [`${own}.${quote(column)} = ${to}`, ...asked(where, table, own)].join(' AND ');
  const linked =
    through && [`${link}.${quote(through.from)} = ${way.key(key)}`, ...asked(through.where, through.table, link)].join(' AND ');
  const first = through === undefined ? target : `${quote(through.table.name)} AS ${link}`;
  const matches = linked ?? found(way.key(key));
  const second = through === undefined ? '' : ` JOIN ${target} ON ${found(`${link}.${quote(through.to)}`)}`;
  return {
    from: way.level === 0 ? `${first}${second}` : `${way.from} JOIN ${first} ON ${matches}${second}`,
    where: way.level === 0 ? matches : way.where,
    level: way.level + 1,
    multiplied: way.multiplied + (single ? 0 : 1),
    key: (name) => `${own}.${quote(name)}`,
  };
}
