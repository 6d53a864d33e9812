// What a condition asks, without its values, as a short text: statements that differ in it are different statements.

import { unreachable } from '../../errors.ts';
import { writeJson } from '../../values/json/json.ts';
import type { ColumnOf, Condition, KeySource, Operand, OrderTerm } from './condition.ts';

const known = new WeakMap<Condition, string>();

/** Conditions that are made once, as those of access rules are, are written down once. */
export function keyOfCondition(condition: Condition): string {
  let key = known.get(condition);
  if (key === undefined) {
    key = conditionKey(condition);
    known.set(condition, key);
  }
  return key;
}

/** Names of columns and tables hold no spaces. */
export function conditionKey(condition: Condition): string {
  switch (condition.kind) {
    case 'all':
      return '*';
    case 'compare':
      return `${columnKey(condition)}:${condition.operator}:${condition.value === undefined ? (condition.count ?? 1) : operandKey(condition.value)}`;
    case 'holds':
      return `${columnKey(condition)}:has:${condition.item}${condition.value === undefined ? '' : operandKey(condition.value)}`;
    case 'below':
      return `${columnKey(condition.key)}:below:${columnKey(condition.above)}`;
    case 'among':
      return `${condition.column}:among(${condition.keys.map(sourceKey).join(' ')})`;
    case 'columns':
      return `${columnKey(condition.left)}:${condition.operator}:${columnKey(condition.right)}`;
    case 'and':
    case 'or':
      return `${condition.kind}(${condition.conditions.map(conditionKey).join(' ')})`;
    case 'not':
      return `!(${conditionKey(condition.condition)})`;
    case 'stored':
      return `stored(${conditionKey(condition.condition)})`;
    case 'exists': {
      const on = condition.on === undefined ? '' : `${condition.on.column}=${columnKey(condition.on.is)} `;
      return `${condition.isSelective === true ? 'by' : 'has'} ${condition.table.name}(${on}${conditionKey(condition.where)})`;
    }
    case 'search':
      return `${condition.isIndexed ? 'words' : 'scan'}(${condition.columns.join(' ')})`;
    case 'row':
      return `row${condition.source}(${conditionKey(condition.condition)})`;
    case 'after':
      return `after(${condition.order.map((term, index) => `${termKey(term)}${condition.nulls[index] === true ? '0' : ''}`).join(' ')})`;
    default:
      return unreachable(condition);
  }
}

function sourceKey({ table, column, as, where, given }: KeySource): string {
  const above = given?.above === undefined ? '' : ` ${given.above.key} below ${given.above.column}`;
  const only = given === undefined ? '' : ` if ${given.table.name}(${conditionKey(given.where)}${above})`;
  return `${table.name}.${column}${as ?? ''}(${conditionKey(where)}${only})`;
}

/** The same of what is sorted by. */
export function termKey({ descending, along = [], ...column }: OrderTerm): string {
  const hops = along.map(({ table, column: found, is, where }) => `${table.name}.${found}=${is}(${keyOfCondition(where)})>`);
  return `${hops.join('')}${columnKey(column)}${descending ? '-' : '+'}`;
}

function columnKey({ column, source, outer, lookup, inside, asText, inLower }: ColumnOf): string {
  const scope = `${asText === true ? '"' : inLower === true ? '~' : ''}${outer === undefined ? '' : '^'.repeat(outer)}${source === undefined ? '' : `${source}.`}`;
  if (inside !== undefined) return `${scope}${column}/${inside.path.join('/')}/${inside.kind === 'record' ? inside.as : ''}`;
  if (lookup === undefined) return `${scope}${column}`;
  return `${scope}${column}>${lookup.outputs.join()}${lookup.where === undefined ? '' : `(${conditionKey(lookup.where)})`}`;
}

function operandKey(operand: Operand): string {
  return 'ambient' in operand ? `@${operand.ambient}` : writeJson(operand.constants);
}
