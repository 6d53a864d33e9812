// The options of a pattern: joins, columns, order, limits.

import type { TypeName } from '../../model.ts';
import { type InstancePattern, isQuery, type Join, type Name, type PatternAttribute, type PatternOptions } from '../../pattern.ts';
import { kindOf, lookUp, reportUnknown } from '../scope.ts';
import { type LinkValue, linkColumn, linkColumnValue, linkPatternAttribute } from './columns.ts';
import { type Environment, type Logic, withColumns } from './environment.ts';

/** Only what is read can be joined, sorted or cut. */
const queryOptions = ['distinct', 'joins', 'into', 'where', 'groupBy', 'orderBy', 'limit', 'offset'] as const;

export function linkOptions(
  pattern: InstancePattern,
  type: TypeName,
  environment: Environment,
  logic: Logic,
  linkValue: LinkValue,
): PatternOptions {
  const { options } = pattern;
  checkQueryOptions(pattern, logic);
  const asking: Environment = { ...environment, asking: true };
  const types = (options.joins ?? []).map((each) => ({ written: each.type.text, name: joinedType(each, environment, logic) }));
  const joined = withColumns(asking, types);
  const columns = [...(options.into ?? []), ...pattern.attributes.filter((each) => each.value.kind === 'aggregate')];
  checkRepeated(columns, logic);
  const results = new Set(columns.map((each) => each.name.text));
  // What is summed up in a group is known only when the group is.
  const groups = new Set(columns.filter((each) => each.value.kind !== 'aggregate').map((each) => each.name.text));
  const linked: { -readonly [K in keyof PatternOptions]: PatternOptions[K] } = { ...options };
  if (options.from !== undefined) linked.from = linkValue(options.from, environment, logic);
  if (options.limit !== undefined) linked.limit = linkValue(options.limit, environment, logic);
  if (options.offset !== undefined) linked.offset = linkValue(options.offset, environment, logic);
  if (options.joins !== undefined)
    // A join is made with what is there already: the types before it.
    linked.joins = options.joins.map((each, index) => linkJoin(each, withColumns(asking, types.slice(0, index + 1)), logic, linkValue));
  if (options.into !== undefined)
    linked.into = options.into.map((each) => ({ ...each, value: linkColumnValue(each.value, type, joined, logic, linkValue) }));
  if (options.where !== undefined) linked.where = options.where.map((each) => linkWhere(each, type, joined, logic, linkValue));
  if (options.groupBy !== undefined) linked.groupBy = options.groupBy.map((each) => linkColumn(each, type, joined, logic, groups));
  if (options.condition !== undefined) linked.condition = linkValue(options.condition, joined, logic);
  if (options.orderBy !== undefined) {
    linked.orderBy = options.orderBy.map((each) => ({ ...each, name: linkColumn(each.name, type, joined, logic, results) }));
  }
  return linked;
}

function checkRepeated(columns: readonly { readonly name: Name }[], { linking }: Logic): void {
  for (const [index, { name }] of columns.entries()) {
    if (columns.findIndex((each) => each.name.text === name.text) === index) continue;
    linking.report.fault('name-repeated', name.span, `two columns of this query are called \`${name.text}\``);
  }
}

function checkQueryOptions(pattern: InstancePattern, { linking }: Logic): void {
  if (isQuery(pattern)) return;
  const wrong = queryOptions.find((each) => pattern.options[each] !== undefined);
  if (wrong === undefined) return;
  const option = wrong === 'joins' ? 'join' : wrong;
  linking.report.fault(
    'pattern-mixed',
    pattern.span,
    `\`@${option}\` belongs to a query, and nothing here has a \`?\``,
    `write \`{${pattern.type.text}? {}, @${option} ...}\``,
  );
}

function joinedType(join: Join, { module, types }: Environment, logic: Logic): TypeName {
  const entry = lookUp(join.type.text, module, logic.linking.scope);
  const isKept = entry !== undefined && logic.types.entities.has(entry.name);
  const stored = isKept || (entry?.kind === 'relationship' && entry.declaration.type === 'between');
  if (entry !== undefined && stored) return types?.get(entry.name) ?? entry.name;
  const wanted = { what: 'entity', name: join.type.text, span: join.type.span, module };
  if (entry === undefined) reportUnknown(logic.linking, 'name-unknown', wanted, (each) => each.kind === 'entity');
  else logic.linking.report.fault('pattern-type', join.type.span, `\`${join.type.text}\` is ${kindOf(entry)}, which cannot be joined`);
  return join.type.text;
}

/** `@join Day {dayId? Sale.dayId}`: the names on the left are columns of the joined type. */
function linkJoin(join: Join, environment: Environment, logic: Logic, linkValue: LinkValue): Join {
  const type = environment.columns.get(join.type.text) ?? join.type.text;
  const attributes = join.attributes.map((each) => {
    const linked = linkPatternAttribute(each, type, environment, logic, linkValue);
    return { ...linked, name: linkColumn(each.name, type, environment, logic) };
  });
  return { ...join, type: { ...join.type, text: type }, attributes };
}

function linkWhere(
  attribute: PatternAttribute,
  type: TypeName,
  environment: Environment,
  logic: Logic,
  linkValue: LinkValue,
): PatternAttribute {
  const linked = linkPatternAttribute(attribute, type, environment, logic, linkValue);
  return { ...linked, name: linkColumn(attribute.name, type, environment, logic) };
}
