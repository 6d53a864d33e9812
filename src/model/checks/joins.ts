// Conditions of outer joins that no store decides are refused: a row that stands alone for lack of another cannot be found afterwards.

import type { Span } from '../../source.ts';
import type { FaultReport } from '../fault-report.ts';
import { type Attribute, columnKind, type Entity, type Model, type TypeName } from '../model.ts';
import { type Expression, type InstancePattern, isDecidedLast, type Join, type PatternAttribute } from '../pattern.ts';
import { isWaiting, readsRowOf } from '../references.ts';
import type { ColumnKind } from '../types/attribute-type.ts';
import { eachNode, statementsOf } from '../walk.ts';

export function undecidedJoins(model: Model, readAsTyped: Model['readAsTyped'], report: FaultReport): void {
  const contained = new Set([...model.relationships.values()].flatMap((each) => (each.kind === 'contains' ? [each.child] : [])));
  const known: Known = { model, readAsTyped, contained, reported: new Set() };
  eachNode(statementsOf(model), (node) => {
    if (node.kind === 'instance' && node.options.joins !== undefined) checkJoins(node, node.options.joins, known, report);
  });
}

interface Known {
  readonly model: Model;
  readonly readAsTyped: Model['readAsTyped'];
  readonly contained: ReadonlySet<TypeName>;
  readonly reported: Set<Span>;
}

function checkJoins({ type }: InstancePattern, joins: readonly Join[], known: Known, report: FaultReport): void {
  for (const [index, { side, attributes }] of joins.entries()) {
    if (isDecidedLast(joins, index)) continue;
    const types = [type, ...joins.slice(0, index + 1).map((each) => each.type)].map(({ text }) => text);
    for (const attribute of attributes) {
      const { value } = attribute;
      const fault = value.kind === 'aggregate' ? undefined : faultOf(attribute, value, types, known);
      // The body of a workflow is there once more for each choice of subtypes.
      if (fault === undefined || known.reported.has(value.span)) continue;
      known.reported.add(value.span);
      const [where, orElse] = side === 'inner' ? ['a join before an outer one', ''] : ['an outer join', ', or use an inner join'];
      report.fault('join-undecided', value.span, `no store decides this condition of ${where}: ${fault.why}`, `${fault.instead}${orElse}`);
    }
  }
}

interface UndecidedFault {
  readonly why: string;
  readonly instead: string;
}

function faultOf(
  { name, query = '==' }: PatternAttribute,
  value: Expression,
  types: readonly TypeName[],
  known: Known,
): UndecidedFault | undefined {
  const column = namedColumn(name.text, types, known);
  const other = columnIn(value, types, known);
  if (column === undefined || (other !== undefined && isSameColumn(column, other))) return undefined;
  const isEquality = query === '==' || query === '!=';
  if (other !== undefined && isEquality && nameSameInstance(column, other, known)) return undefined;
  const isNothing = value.kind === 'literal' && value.value === null;
  if (!isNothing && !isWaiting(value)) {
    if ([column, other].some((each) => each?.kind === 'json')) return listsAndMaps;
    const readsText = known.readAsTyped.has(value) && column.attribute !== undefined && column.kind === 'text' && query !== 'like';
    if (readsText) return differentTypes(name.text, other?.name);
  }
  if (other !== undefined && !takesValues.has(query)) return column.kind === other.kind ? undefined : differentTypes(name.text, other.name);
  if (!readsRowOf(value, types)) return undefined;
  return takesValues.has(query) && (value.kind === 'list' || value.kind === 'reference') ? attributesInPlaceOfValues(query) : computedValue;
}

const takesValues: ReadonlySet<string> = new Set(['in', 'between', 'like']);

const listsAndMaps: UndecidedFault = {
  why: 'lists, maps and records are compared row by row',
  instead: 'compare attributes of another type',
};

const computedValue: UndecidedFault = {
  why: 'it is computed for each row',
  instead: 'make it a computed attribute (`@expr`, in the earlier syntax `:expr`) and compare with that',
};

function attributesInPlaceOfValues(query: string): UndecidedFault {
  return {
    why: `\`${query}\` takes values there, not attributes of rows`,
    instead: query === 'between' ? 'ask for at least the one (`>=`) and at most the other (`<=`)' : 'compare with a value',
  };
}

function differentTypes(one: string, other: string | undefined): UndecidedFault {
  return {
    why: `\`${one}\` and ${other === undefined ? 'this value' : `\`${other}\``} are of different types, and compared row by row`,
    instead: 'give both the same type, or compare with a computed attribute (`@expr`, in the earlier syntax `:expr`) that has it',
  };
}

/** What a name stands for in a row of the query. */
interface Column {
  readonly name: string;
  /** Its type, by its number in the query. */
  readonly source: number;
  readonly type: TypeName;
  readonly kind: ColumnKind;
  readonly attribute: Attribute | undefined;
  /** Where it is the end of a link: what stands there. */
  readonly end: Entity | undefined;
}

function isSameColumn(one: Column, other: Column): boolean {
  return one.source === other.source && one.name === other.name;
}

/** `year` of the type that is joined, or `shop/Day.year`. */
function namedColumn(text: string, types: readonly TypeName[], known: Known): Column | undefined {
  const dot = text.indexOf('.', text.indexOf('/') + 1);
  return dot === -1
    ? columnOf(text, types.length - 1, types, known)
    : columnOf(text.slice(dot + 1), types.indexOf(text.slice(0, dot)), types, known);
}

function columnIn(value: Expression, types: readonly TypeName[], known: Known): Column | undefined {
  if (value.kind !== 'reference' || value.path.length !== 2) return undefined;
  const [type = '', name = ''] = value.path;
  return columnOf(name, types.indexOf(type), types, known);
}

function columnOf(name: string, source: number, types: readonly TypeName[], { model, contained }: Known): Column | undefined {
  const type = types[source] ?? '';
  const relationship = model.relationships.get(type);
  const link = relationship?.kind === 'between' ? relationship : undefined;
  const owner = model.entities.get(type) ?? link;
  if (owner === undefined) return undefined;
  const attribute = name === '__Id__' ? owner.identifier : owner.attributes.find((each) => each.name === name);
  if (attribute !== undefined) return { name, source, type, attribute, kind: columnKind(attribute), end: undefined };
  const end = model.entities.get(link?.ends.find((each) => each.attribute === name)?.entity ?? '');
  if (end !== undefined) return { name, source, type, attribute: undefined, kind: endKind(end, contained), end };
  if (name !== pathName) return undefined;
  // What is contained nowhere has a path that says no more than its identifier.
  return { name, source, type, attribute: undefined, kind: contained.has(type) ? 'text' : columnKind(owner.identifier), end: undefined };
}

/** An end is compared by what it shows: the identifier, of what is contained the guid or the path. */
function endKind(end: Entity, contained: ReadonlySet<TypeName>): ColumnKind {
  if (!contained.has(end.name)) return columnKind(end.identifier);
  return end.guid !== undefined && columnKind(end.guid) === 'integer' ? 'integer' : 'text';
}

/** Whether both sides stand for an instance of the same contained type: a store compares their keys. */
function nameSameInstance(one: Column, other: Column, { contained }: Known): boolean {
  const entity = one.end ?? other.end;
  return entity !== undefined && contained.has(entity.name) && [one, other].every((each) => isNameOf(each, entity));
}

function isNameOf({ end, type, name, attribute }: Column, entity: Entity): boolean {
  if (end !== undefined) return end === entity;
  const isName = name === pathName || attribute === entity.identifier || (attribute !== undefined && attribute === entity.guid);
  return isName && type === entity.name;
}

const pathName = '__path__';
