// The tables of a model: one per entity and between relationship, one column per attribute, with keys of their own.

import { createHash } from 'node:crypto';
import type { CacheBound } from '../../byte-cache.ts';
import { type Attribute, type Between, type Contains, columnKind, type Entity, type Model, type TypeName } from '../../model/model.ts';
import { searchedAttributes } from '../../model/searched.ts';
import type { ColumnKind } from '../../model/types/attribute-type.ts';
import { writeJson } from '../../values/json/json.ts';
import { definitionOf } from '../computed/order.ts';
import type { ExternalHandlers } from '../external.ts';
import { assignmentColumns, assignmentIndexes, assignmentUniques, isAssignmentIndex } from './assignments.ts';
import { segment } from './keys.ts';
import { type Column, type Fill, type ForeignKey, inLowerCase, type Table } from './table.ts';

/** The model, and which of its entities are a child in some contains relationship. */
export interface Layout {
  readonly model: Model;
  readonly contained: ReadonlySet<TypeName>;
  /** Of what is kept of the shapes that requests make up. */
  readonly shapes: CacheBound;
  /** The entities that a workflow searches by words. */
  readonly searched: ReadonlySet<TypeName>;
  /** The entities that a resolver keeps: nothing can point at their rows, and none of their words are in an index. */
  readonly external: ReadonlyMap<TypeName, ExternalHandlers>;
  /** Stored, and told to resolvers besides. */
  readonly composed: ReadonlySet<TypeName>;
}

export const versionColumn = '__version';
export const keyColumn = '__key';
export const pathColumn = '__path__';

/** The longest name that every store takes. */
const maxNameBytes = 63;

export function entityTable(entity: Entity, layout: Layout, parents: readonly Contains[]): Table {
  const contained = parents.length > 0;
  const identifier = entity.identifier.name;
  const keys: readonly Column[] = contained ? containedColumns(parents, layout) : [];
  return {
    name: storedName(entity.name),
    columns: [
      ...entity.attributes.map((each) => attributeColumn(each, entity.identifier === each, layout)),
      versionOf(),
      ...keys,
      ...assignmentColumns(entity),
    ],
    primaryKey: [contained ? keyColumn : identifier],
    // What is contained is found by its key, so that its own identifier is unique only where it is declared to be.
    uniques: [...uniquesOf(entity.attributes, entity.uniques, contained ? undefined : identifier), ...assignmentUniques(entity)],
    indexes: [
      ...(contained && !entity.identifier.unique ? [[identifier]] : []),
      // Children of a type that contains itself are found by their parent alone, and read in the order of their keys.
      ...parents.map((each) => (each.parent === entity.name ? [parentColumn(each), keyColumn] : [parentColumn(each)])),
      ...indexesOf(entity.attributes, contained ? undefined : entity.identifier).filter((each) => !isAssignmentIndex(entity, each)),
      ...(entity.profile === undefined ? [] : [[inLowerCase(entity.profile)]]),
      ...assignmentIndexes(entity),
    ],
    foreignKeys: [...parents.flatMap((each) => parentKey(each, layout)), ...references(entity.attributes, layout)],
    ...searchOf(entity, layout),
    ...formerTable(entity),
    ...(entity.system === undefined ? {} : { system: true }),
    ...addressingOf(entity, layout, parents),
  };
}

/** Absent below what is kept elsewhere: whether such keys are right is not for the store to say. */
function addressingOf({ name, identifier }: Entity, layout: Layout, parents: readonly Contains[]): Pick<Table, 'addressing'> {
  if (isBelowExternal(name, layout, new Set())) return {};
  const columns = parents.map((each) => ({ column: parentColumn(each), relationship: each.name, table: storedName(each.parent) }));
  return { addressing: { type: name, identifier: identifier.name, parents: columns } };
}

function isBelowExternal(entity: TypeName, layout: Layout, seen: Set<TypeName>): boolean {
  if (layout.external.size === 0 || seen.has(entity)) return false;
  seen.add(entity);
  const above = [...layout.model.relationships.values()].flatMap((each) =>
    each.kind === 'contains' && each.child === entity ? [each.parent] : [],
  );
  return above.some((each) => layout.external.has(each) || isBelowExternal(each, layout, seen));
}

export function linkTable(between: Between, layout: Layout): Table {
  const [first, second] = between.ends;
  const pair: readonly (readonly string[])[] = {
    'many-many': [[first.attribute, second.attribute]],
    'one-many': [[second.attribute]],
    'one-one': [[first.attribute], [second.attribute]],
  }[between.cardinality];
  const ends = between.ends.map((end): Column => ({ name: end.attribute, ...keyColumnOf(end.entity, layout), required: true }));
  return {
    name: storedName(between.name),
    columns: [...ends, ...between.attributes.map((each) => attributeColumn(each, between.identifier === each, layout)), versionOf()],
    primaryKey: [between.identifier.name],
    uniques: [...pair, ...uniquesOf(between.attributes, between.uniques, between.identifier.name)],
    indexes: [
      ...(between.cardinality === 'one-one' ? [] : between.cardinality === 'one-many' ? [[first.attribute]] : [[second.attribute]]),
      ...indexesOf(between.attributes, between.identifier),
    ],
    foreignKeys: [
      ...between.ends.flatMap((end) => foreignKey(end.attribute, end.entity, layout, 'cascade')),
      ...references(between.attributes, layout),
    ],
    ...searchOf(between, layout),
    ...formerTable(between),
  };
}

/** What is declared to be found by, and what refers to others. */
function indexesOf(attributes: readonly Attribute[], key: Attribute | undefined): readonly (readonly string[])[] {
  const apart = attributes.filter((each) => !each.unique && !each.identifier);
  const referring = apart.filter((each) => each.ref !== undefined && !each.indexed);
  const ordered = key !== undefined && shortKeys.has(columnKind(key)) ? [key.name] : [];
  return [...apart.filter((each) => each.indexed), ...referring].map((each) =>
    each.ref !== undefined || sharedValues.has(columnKind(each)) ? [each.name, ...ordered] : [each.name],
  );
}

/** What many rows have the same of: those with one value are read in the order of their keys, so that a page of them is found without sorting all. */
const sharedValues: ReadonlySet<ColumnKind> = new Set<ColumnKind>(['text', 'boolean']);
/** A text as a key could make an entry longer than an index takes. */
const shortKeys: ReadonlySet<ColumnKind> = new Set<ColumnKind>(['uuid', 'integer']);

/** An index of words costs every write: it is made where somebody asked for it. Others are searched all the same, row by row. */
function searchOf({ name, attributes }: Entity | Between, { searched, external }: Layout): Pick<Table, 'search'> {
  if (external.has(name) || (!searched.has(name) && !attributes.some((each) => each.fulltext))) return {};
  const search = searchedAttributes(attributes).map((each) => each.name);
  return search.length === 0 ? {} : { search };
}

/** The column of a child that holds the key of its parent in this relationship. */
export function parentColumn(contains: Contains): string {
  return storedName(`__parent_${segment(contains.name)}`);
}

/** The column by which rows of an entity are found and pointed at. */
export function keyOf(entity: TypeName, layout: Layout): string {
  return layout.contained.has(entity) ? keyColumn : (layout.model.entities.get(entity)?.identifier.name ?? keyColumn);
}

/** A name that fits every store, the same at every start. */
export function storedName(name: string): string {
  if (Buffer.byteLength(name) <= maxNameBytes) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 12);
  let head = name;
  while (Buffer.byteLength(head) > maxNameBytes - 13) head = head.slice(0, -1);
  return `${head}~${digest}`;
}

function containedColumns(parents: readonly Contains[], layout: Layout): readonly Column[] {
  return [
    { name: keyColumn, kind: 'text', required: true },
    { name: pathColumn, kind: 'text', required: false },
    ...parents.map((each): Column => {
      const was = each.was === undefined ? {} : { was: storedName(`__parent_${segment(qualified(each.was, each.module))}`) };
      return { name: parentColumn(each), ...keyColumnOf(each.parent, layout), required: false, ...was };
    }),
  ];
}

function attributeColumn(attribute: Attribute, identifies: boolean, { model }: Layout): Column {
  const was = attribute.was === undefined ? {} : { was: attribute.was };
  const column = {
    name: attribute.name,
    kind: columnKind(attribute),
    required: identifies || !attribute.optional,
    type: typeOf(attribute),
    computed: computedFrom(attribute),
    ...was,
    ...byMoment(columnKind(attribute)),
    ...(attribute.type.kind === 'record' ? { shape: shapeOf(attribute.type.record, model, []) } : {}),
  };
  const values = attribute.values === undefined ? {} : { values: attribute.values };
  const fill = fillOf(attribute);
  return fill === undefined ? { ...column, ...values } : { ...column, ...values, fill };
}

/** Whether values are compared by moment, and may be written differently although they are the same. */
export function isMomentKind(kind: ColumnKind): boolean {
  return kind === 'datetime' || kind === 'time';
}

function byMoment(kind: ColumnKind): Pick<Column, 'byMoment'> {
  return isMomentKind(kind) ? { byMoment: true } : {};
}

function computedFrom(attribute: Attribute): string | null {
  const definition = definitionOf(attribute);
  return definition === undefined ? null : createHash('sha256').update(definition).digest('hex').slice(0, 12);
}

/** `@was("Old")` means the module that it stands in, unless it names another. */
function formerTable({ was, module }: { readonly was: string | undefined; readonly module: string }): { readonly was?: string } {
  return was === undefined ? {} : { was: storedName(qualified(was, module)) };
}

function qualified(name: string, module: string): string {
  return name.includes('/') ? name : `${module}/${name}`;
}

/** What a record is, whatever it is called: the same text for the same attributes. */
function shapeOf(record: TypeName, model: Model, above: readonly TypeName[]): string {
  // One that holds itself is known by how far up it stands.
  if (above.includes(record)) return `^${above.length - above.indexOf(record)}`;
  const attributes = (model.records.get(record) ?? model.entities.get(record))?.attributes ?? [];
  const text = attributes.map((each) => {
    const type = each.type.kind === 'record' ? shapeOf(each.type.record, model, [...above, record]) : typeOf(each);
    return `${each.name} ${type}${each.list ? '[]' : ''}${each.optional ? '?' : ''}`;
  });
  return createHash('sha256').update(text.join(',')).digest('hex').slice(0, 12);
}

function typeOf({ type, list, values, secret }: Attribute): string {
  const single = secret ? 'secret' : values !== undefined ? 'String' : type.kind === 'record' ? type.record : type.type.name;
  return list ? `${single}[]` : single;
}

function fillOf(attribute: Attribute): Fill | undefined {
  const fallback = attribute.default;
  if (fallback?.kind === 'uuid' || fallback?.kind === 'now' || fallback?.kind === 'local-now') return { kind: fallback.kind };
  if (fallback?.kind === 'autoincrement') return { kind: 'count' };
  if (fallback?.kind !== 'value') return undefined;
  const { value } = fallback;
  if (columnKind(attribute) === 'json' && typeof value === 'object' && value !== null) return { kind: 'json', text: writeJson(value) };
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return { kind: 'value', value };
  return undefined;
}

function versionOf(): Column {
  return { name: versionColumn, kind: 'integer', required: true };
}

function uniquesOf(
  attributes: readonly Attribute[],
  groups: readonly (readonly string[])[],
  identifier: string | undefined,
): readonly (readonly string[])[] {
  // One moment can be written in several ways, which the primary key would tell apart.
  const isApart = (each: Attribute): boolean => (each.name === identifier ? byMoment(columnKind(each)).byMoment === true : each.unique);
  const single = attributes.filter(isApart).map((each) => [each.name]);
  return [...single, ...groups];
}

function parentKey(contains: Contains, layout: Layout): readonly ForeignKey[] {
  return foreignKey(parentColumn(contains), contains.parent, layout, 'no action');
}

function references(attributes: readonly Attribute[], layout: Layout): readonly ForeignKey[] {
  return attributes.flatMap((each): ForeignKey[] => {
    const target = each.ref;
    if (target === undefined || each.list || layout.external.has(target.entity)) return [];
    const entity = layout.model.entities.get(target.entity);
    const unique = entity?.attributes.find((candidate) => candidate.name === target.attribute)?.unique === true;
    const isKey = keyOf(target.entity, layout) === target.attribute;
    if (!unique && !isKey) return [];
    return [
      {
        columns: [each.name],
        table: storedName(target.entity),
        references: [target.attribute],
        onDelete: target.cascade === true ? 'cascade' : 'no action',
        onUpdate: 'no action',
      },
    ];
  });
}

function foreignKey(column: string, entity: TypeName, layout: Layout, onDelete: ForeignKey['onDelete']): readonly ForeignKey[] {
  if (layout.external.has(entity)) return [];
  const key: ForeignKey = {
    columns: [column],
    table: storedName(entity),
    references: [keyOf(entity, layout)],
    onDelete,
    onUpdate: 'cascade',
  };
  return [key];
}

function keyColumnOf(entity: TypeName, layout: Layout): Pick<Column, 'kind' | 'byMoment'> {
  const identifier = layout.contained.has(entity) ? undefined : layout.model.entities.get(entity)?.identifier;
  const kind = identifier === undefined ? 'text' : columnKind(identifier);
  return { kind, ...byMoment(kind) };
}
