// The fields of a query → what is selected of instances, related ones included, so that a whole root field is one statement.

import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { error, type Fault, FaultList } from '../../errors.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { isToOne } from '../../plan/query/related.ts';
import type { Included, RelatedQuery, Selection } from '../../plan/query/selection.ts';
import type { Field } from '../../plan/query/shape.ts';
import { versionColumn } from '../../plan/rows/tables.ts';
import type { Value } from '../../values/value.ts';
import { limit as overLimit } from './document.ts';
import type { FieldMeaning, Meanings } from './meaning.ts';
import { jsonValue, long } from './scalars.ts';
import { orderBy, whereFilter } from './where.ts';

type Row = EntityPlan | LinkPlan;

/** An operation that is being carried out. */
export interface Operation {
  readonly schema: GraphQLSchema;
  readonly meanings: Meanings;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What was selected, and what of an answer needs work that the store does not do. */
export interface Chosen {
  readonly selection: Selection;
  readonly shape: Shape;
}

/** By the names of the answer. */
export interface Shape {
  readonly members: ReadonlyMap<string, Member>;
  /** Whether something in it holds more than was asked for, or not all of it. */
  readonly isNarrowed: boolean;
  /** Whether the place of each instance is asked for. */
  readonly hasCursor?: boolean;
  /** Whether each instance says which of its members its caller may not see. */
  readonly tellsHidden?: boolean;
}

/** `source` is what it is called in a value that comes as a whole. */
export type Member = { readonly source: string } & MemberKind;

type MemberKind =
  | { readonly kind: 'long' }
  | { readonly kind: 'cursor' }
  | { readonly kind: 'as it is' }
  | { readonly kind: 'type'; readonly name: string }
  | { readonly kind: 'related'; readonly shape: Shape }
  /** A record, or a list of them, which comes as a whole. */
  | { readonly kind: 'record'; readonly shape: Shape };

/** The product of the limits along one path. */
const mostRows = 10_000;
const nestedLimit = 10;

/** The fields of a selection set, fragments resolved, in the order in which they are first named. */
export function collect(sets: readonly SelectionSetNode[], operation: Operation): ReadonlyMap<string, readonly FieldNode[]> {
  const found = new Map<string, FieldNode[]>();
  const seen = new Set<string>();
  const visit = (set: SelectionSetNode): void => {
    for (const each of set.selections) {
      if (!isIncluded(each, operation)) continue;
      if (each.kind === Kind.FIELD) {
        const name = each.alias?.value ?? each.name.value;
        const nodes = found.get(name) ?? [];
        nodes.push(each);
        found.set(name, nodes);
      } else if (each.kind === Kind.INLINE_FRAGMENT) {
        visit(each.selectionSet);
      } else if (!seen.has(each.name.value)) {
        seen.add(each.name.value);
        const fragment = operation.fragments.get(each.name.value);
        if (fragment !== undefined) visit(fragment.selectionSet);
      }
    }
  };
  for (const set of sets) visit(set);
  return found;
}

function isIncluded(node: Parameters<typeof getDirectiveValues>[1], { variables }: Operation): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false;
}

export function argumentsOf(
  nodes: readonly FieldNode[],
  type: GraphQLObjectType,
  { variables }: Operation,
): Readonly<Record<string, Value>> {
  const [node] = nodes;
  const definition = node && type.getFields()[node.name.value];
  if (definition === undefined || node === undefined) return {};
  return Object.fromEntries(
    Object.entries(getArgumentValues(definition, node, variables)).map(([name, each]) => [name, jsonValue(each) ?? null]),
  );
}

/** `rows` is how many instances there may be of what it is chosen from. */
export function choose(plan: Row, nodes: readonly FieldNode[], type: GraphQLObjectType, rows: number, operation: Operation): Chosen {
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  const own: Field[] = [];
  const includes: Included[] = [];
  const members = new Map<string, Member>();
  const keys: string[] = [];
  const ruled: { readonly name: string; readonly column: string }[] = [];
  const meanings = operation.meanings.fields.get(type.name);
  for (const [name, fields] of collect(sets, operation)) {
    const field = fields[0]?.name.value ?? '';
    const meaning = meanings?.get(field);
    if (meaning?.kind === 'related') {
      const { included, shape } = related(name, meaning, fields, type, rows, operation);
      includes.push(included);
      members.set(name, { kind: 'related', source: name, shape });
      keys.push(`${name}:${field}{${included.selection.key}}`);
    } else if (meaning?.kind === 'cursor') {
      members.set(name, { kind: 'cursor', source: name });
    } else {
      const shown = { ...fieldOf(plan, meaning, type), name };
      const column = shown.kind === 'column' ? plan.ruled.find((each) => each.column === shown.column)?.column : undefined;
      own.push(column === undefined ? shown : { kind: 'column', name, column, isNull: true });
      if (column !== undefined) ruled.push({ name, column });
      members.set(name, { source: name, ...memberOf(field, fields, type, operation) });
      keys.push(`${name}:${field}`);
    }
  }
  if (ruled.length > 0) own.push({ kind: 'hidden', name: hiddenMember, columns: ruled });
  const key = `graphql ${keys.join(' ')}`;
  const view = { name: key, output: (row: Row) => ({ fields: own, columns: row.output.columns }) };
  const selection: Selection = { view, attributes: undefined, includes, link: undefined, key, sequence: [...members.keys()] };
  return { selection, shape: shapeOf(members, ruled.length > 0) };
}

/** What no field is called: the names of those that the caller may not see. */
export const hiddenMember = '@hidden';

function shapeOf(members: ReadonlyMap<string, Member>, tellsHidden: boolean): Shape {
  const all = [...members.values()];
  const hasCursor = all.some(({ kind }) => kind === 'cursor');
  const isNarrowed =
    hasCursor || tellsHidden || all.some((each) => each.kind === 'record' || (each.kind === 'related' && each.shape.isNarrowed));
  return { members, isNarrowed, hasCursor, tellsHidden };
}

function fieldOf(plan: Row, meaning: Exclude<FieldMeaning, { kind: 'related' | 'cursor' }> | undefined, type: GraphQLObjectType): Field {
  if (meaning === undefined) return { kind: 'constant', name: '', value: type.name };
  if (meaning.kind === 'version') return { kind: 'column', name: '', column: versionColumn };
  const found = plan.output.fields.find(({ name }) => name === meaning.name);
  if (found === undefined) throw new Error(`${plan.type} shows no ${meaning.name}`);
  return found;
}

/** Of what comes out of the store as a whole. */
function memberOf(field: string, nodes: readonly FieldNode[], type: GraphQLObjectType, operation: Operation): MemberKind {
  const definition = type.getFields()[field];
  if (definition === undefined) return { kind: 'type', name: type.name };
  if (field === '_cursor') return { kind: 'cursor' };
  const inner = getNamedType(definition.type);
  if (isObjectType(inner)) return { kind: 'record', shape: recordShape(nodes, inner, operation) };
  return inner === long ? { kind: 'long' } : { kind: 'as it is' };
}

/** What is wanted of a value that comes as a whole: of each member the name that it has there. */
export function recordShape(nodes: readonly FieldNode[], type: GraphQLObjectType, operation: Operation): Shape {
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  const meanings = operation.meanings.fields.get(type.name);
  const members = new Map<string, Member>();
  for (const [name, fields] of collect(sets, operation)) {
    const field = fields[0]?.name.value ?? '';
    const meaning = meanings?.get(field);
    const source = meaning?.kind === 'attribute' ? meaning.name : field;
    members.set(name, { source, ...memberOf(field, fields, type, operation) });
  }
  return { members, isNarrowed: true };
}

function related(
  name: string,
  { way }: Extract<FieldMeaning, { kind: 'related' }>,
  nodes: readonly FieldNode[],
  type: GraphQLObjectType,
  rows: number,
  operation: Operation,
): { readonly included: Included; readonly shape: Shape } {
  const target = getNamedType(type.getFields()[nodes[0]?.name.value ?? '']?.type);
  if (!isObjectType(target)) throw new Error(`${name} leads to no instances`);
  const given = argumentsOf(nodes, type, operation);
  const query = isToOne(way) ? onlyOne(way.target) : relatedQuery(way.target, given);
  const below = rows * Math.max(1, query.limit);
  if (below > mostRows)
    throw overLimit(`The limits of ${name} and of what is around it allow more than ${mostRows} instances; ask for fewer.`);
  const { selection, shape } = choose(way.target, nodes, target, below, operation);
  return { included: { name, way, selection, query }, shape };
}

function onlyOne(plan: Row): RelatedQuery {
  return { filter: { kind: 'and', filters: [] }, order: [{ column: plan.key, descending: false }], limit: 1, offset: 0 };
}

function relatedQuery(plan: Row, given: Readonly<Record<string, Value>>): RelatedQuery {
  const faults = new FaultList();
  const query = {
    filter: whereFilter(plan, given['where'] ?? null, faults),
    order: orderBy(plan, given['orderBy'] ?? null, faults),
    limit: countOf('limit', given, nestedLimit, faults),
    offset: countOf('offset', given, 0, faults),
  };
  if (faults.length > 0) throw error('query-invalid', { errors: faults });
  return query;
}

export function countOf(name: string, given: Readonly<Record<string, Value>>, otherwise: number, faults: Fault[]): number {
  const count = given[name] ?? otherwise;
  if (typeof count === 'number' && count >= 0) return count;
  faults.push({ attribute: name, code: 'value', message: 'must be a whole number, 0 or more' });
  return otherwise;
}
