// `--set Entity.attribute=value` of `platform migrate`: what stored instances get that have no value of an attribute that now wants one.

import { nearest } from '../../diagnostics.ts';
import type { Fault } from '../../errors.ts';
import type { AttributePlan, Plan, RowPlan } from '../../plan/plan.ts';
import type { Fill, Table } from '../../plan/rows/table.ts';
import type { Judged } from '../../store/migration/diff/verdicts.ts';
import { parseJson, writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';

interface Given {
  readonly table: string;
  readonly column: string;
  readonly fill: Fill;
}

/** The tables of a plan with the values that were given, or a line that says why one of them cannot be. */
export function withGivenValues(
  { tables, ...plan }: Plan,
  texts: readonly string[],
): { readonly tables: readonly Table[]; readonly refusal?: string } {
  const given: Given[] = [];
  for (const text of texts) {
    const read = readGiven(text, [...plan.entities.values(), ...plan.links.values()]);
    if (typeof read === 'string') return { tables, refusal: `--set ${text}: ${read}` };
    given.push(read);
  }
  return { tables: tables.map((table) => filled(table, given)) };
}

/** A value that nothing asks for would be ignored without a word. */
export function unusedValue(tables: readonly Table[], changes: readonly Judged[]): string | undefined {
  for (const table of tables) {
    for (const column of table.columns) {
      if (column.fill === undefined || !('given' in column.fill)) continue;
      const isAsked = changes.some(
        ({ change }) =>
          (change.kind === 'new-column' || change.kind === 'required-column' || change.kind === 'restored-column') &&
          change.table.name === table.name &&
          change.column.name === column.name,
      );
      if (!isAsked) return `--set: ${table.name}.${column.name} is neither new nor required from now on; change stored values by requests`;
    }
  }
  return undefined;
}

function filled(table: Table, given: readonly Given[]): Table {
  const own = given.filter((each) => each.table === table.name);
  if (own.length === 0) return table;
  const columns = table.columns.map((column) => {
    const found = own.find((each) => each.column === column.name);
    return found === undefined ? column : { ...column, fill: found.fill };
  });
  return { ...table, columns };
}

function readGiven(text: string, rows: readonly RowPlan[]): Given | string {
  const match = /^([^=]+)\.([^.=]+)=(.*)$/s.exec(text);
  if (match === null) return 'write it as Entity.attribute=value';
  const [, type = '', name = '', value = ''] = match;
  const named = rows.filter((each) => each.type === type || each.local === type);
  const [row] = named;
  if (row === undefined)
    return `there is no ${type}${didYouMean(
      type,
      rows.map((each) => (type.includes('/') ? each.type : each.local)),
    )}`;
  if (named.length > 1) return `${type} is the name of ${named.map((each) => each.type).join(' and ')}; write the whole name`;
  const attribute = row.attribute.get(name);
  if (attribute === undefined) return `${row.type} has no attribute ${name}${didYouMean(name, row.attribute.keys())}`;
  const { secret, expression } = attribute.attribute;
  if (secret) return 'a value that is stored as a hash cannot be set for all';
  if (expression !== undefined) return 'it is computed';
  if (attribute === row.identifier) return 'instances cannot all have the same identifier';
  const faults: Fault[] = [];
  const parsed = givenValue(attribute, value, faults);
  const [fault] = faults;
  if (fault !== undefined) return `the value ${fault.message}`;
  const fill = fillOf(parsed);
  return fill === undefined ? 'this value is too large to be given here' : { table: row.table.name, column: attribute.column, fill };
}

/** As in a query string; lists, maps and records as JSON. */
function givenValue(attribute: AttributePlan, text: string, faults: Fault[]): Value {
  const plain = attribute.parseText(text);
  if (plain !== undefined) return attribute.parse(plain, attribute.name, faults);
  let input: Value = text;
  try {
    input = parseJson(text, { depth: 100, keys: 10_000, items: 10_000 });
  } catch {
    // Not JSON: the text itself is told to be no value of the type.
  }
  return attribute.parse(input, attribute.name, faults);
}

function fillOf(value: Value): Fill | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return { kind: 'value', value, given: true };
  return typeof value === 'object' && value !== null ? { kind: 'json', text: writeJson(value), given: true } : undefined;
}

function didYouMean(name: string, known: Iterable<string>): string {
  const found = nearest(name, known);
  return found === undefined ? '' : `; did you mean ${found}?`;
}
