// What a type is like for whoever uses it: what of it may be read and set, what has to be, what values are, which operations there are. Doors print
// this and decide nothing by themselves. What is decided of one attribute alone stands in `model/description`, where the model is checked too.

import {
  documentationOf,
  isChangeable,
  isComputed,
  isFilledIn,
  isRequired,
  isShown,
  referenceOf,
  typeNameOf,
} from '../../model/description.ts';
import type { Facet } from '../../model/facets/facet.ts';
import {
  type Attribute,
  type AttributeReference,
  columnKind,
  type Default,
  type Entity,
  type EventType,
  type Operation,
  type RecordType,
  type TypeName,
} from '../../model/model.ts';
import type { ColumnKind } from '../../model/types/attribute-type.ts';
import type { Value } from '../../values/value.ts';
import type { EntityPlan, LinkPlan, Step } from '../plan.ts';

export interface AttributeDescription {
  readonly name: string;
  readonly attribute: Attribute;
  /** The name of its type, whatever of that is allowed. */
  readonly type: string;
  /** As what a single value is kept, or that it is a record. */
  readonly kind: ColumnKind | 'record';
  /** The record, where it is one. */
  readonly record: TypeName | undefined;
  readonly list: boolean;
  readonly identifier: boolean;
  readonly unique: boolean;
  /** Whoever makes an instance has to send it. */
  readonly required: boolean;
  /** There may be no value. */
  readonly optional: boolean;
  /** Answers show it. */
  readonly readable: boolean;
  /** Whoever makes an instance may send it. */
  readonly settable: boolean;
  /** Only what makes an instance sets it: `@readonly`. */
  readonly setOnce: boolean;
  /** A change may give it another value. */
  readonly changeable: boolean;
  readonly computed: boolean;
  /** Not everybody who may read an instance sees it, or may set it: it has rules of its own. */
  readonly ruled: boolean;
  /** Kept as a hash. */
  readonly secret: boolean;
  /** Sent, and shown to nobody. */
  readonly writeOnly: boolean;
  /** The service gives a time or a number where nobody sends one. */
  readonly filledIn: boolean;
  /** The only ones that are allowed. */
  readonly values: readonly Value[] | undefined;
  readonly facets: readonly Facet[];
  readonly default: Default | undefined;
  /** Where its value must stand. */
  readonly reference: AttributeReference | undefined;
  readonly documentation: string | undefined;
}

export interface TypeDescription {
  readonly name: TypeName;
  readonly documentation: string | undefined;
  readonly attributes: readonly AttributeDescription[];
  /** Those that whoever makes it may send. */
  readonly settable: readonly AttributeDescription[];
  /** Whether it takes anything: an event that nobody declared. */
  readonly open: boolean;
}

/** Of what has instances. */
export interface RowDescription extends TypeDescription {
  readonly attribute: ReadonlyMap<string, AttributeDescription>;
  readonly identifier: AttributeDescription;
  readonly readable: readonly AttributeDescription[];
  readonly changeable: readonly AttributeDescription[];
  /** What an answer has, in its order: attributes, ends of a link, the path. */
  readonly fields: readonly string[];
  /** Those of them that nobody is shown an instance without. */
  readonly always: readonly string[];
  /** By the names that bodies and answers use. */
  readonly relations: readonly (readonly [string, Step])[];
  /** What requests can ask for. Who may ask for it is in the rights of the plan. */
  readonly operations: Readonly<Record<Operation, boolean>>;
}

export function describeAttribute(attribute: Attribute): AttributeDescription {
  const { name, type, list, identifier, unique, optional } = attribute;
  const isRecord = type.kind === 'record';
  return Object.freeze({
    name,
    attribute,
    type: typeNameOf(attribute),
    kind: isRecord ? 'record' : columnKind({ ...attribute, list: false }),
    record: isRecord ? type.record : undefined,
    list,
    identifier,
    unique,
    required: isRequired(attribute),
    optional,
    readable: isShown(attribute),
    settable: !isComputed(attribute),
    setOnce: attribute.readonly,
    changeable: isChangeable(attribute),
    computed: isComputed(attribute),
    ruled: attribute.rbac !== undefined,
    secret: attribute.secret,
    writeOnly: attribute.writeonly,
    filledIn: isFilledIn(attribute),
    values: attribute.values ?? attribute.choices,
    facets: attribute.facets,
    default: attribute.default,
    reference: referenceOf(attribute),
    documentation: documentationOf(attribute),
  });
}

/** Of what is a value: a record, what an event is given, an entity in the place of a record. */
export function describeType(type: EventType | RecordType | Entity): TypeDescription {
  const attributes = type.attributes.map(describeAttribute);
  return Object.freeze({
    name: type.name,
    documentation: documentationOf(type),
    attributes,
    settable: attributes.filter(({ settable }) => settable),
    open: type.kind === 'event' && type.open,
  });
}

const described = new WeakMap<EntityPlan | LinkPlan, RowDescription>();

/** Made once for each plan. */
export function describeRow(plan: EntityPlan | LinkPlan): RowDescription {
  const known = described.get(plan) ?? rowDescription(plan);
  described.set(plan, known);
  return known;
}

function rowDescription(plan: EntityPlan | LinkPlan): RowDescription {
  const attributes = plan.attributes.map((each) => describeAttribute(each.attribute));
  return Object.freeze({
    name: plan.type,
    documentation: documentationOf(plan.kind === 'entity' ? plan.entity : plan.between),
    attributes,
    attribute: new Map(attributes.map((each) => [each.name, each])),
    identifier: describeAttribute(plan.identifier.attribute),
    settable: attributes.filter(({ settable }) => settable),
    readable: attributes.filter(({ readable }) => readable),
    changeable: attributes.filter(({ changeable }) => changeable),
    fields: plan.output.fields.map(({ name }) => name),
    always: plan.output.fields.flatMap(({ name }) => (plan.attribute.get(name)?.attribute.rbac === undefined ? [name] : [])),
    relations: relationsOf(plan),
    operations: operationsOf(plan),
    open: false,
  });
}

function relationsOf(plan: EntityPlan | LinkPlan): readonly (readonly [string, Step])[] {
  if (plan.kind === 'link') return [];
  return [...plan.steps].flatMap(([name, [first]]) => {
    const isOwn = first !== undefined && !name.includes('$') && !plan.attribute.has(name);
    return isOwn ? [[name, first] as const] : [];
  });
}

/** What the service keeps is only read; what a resolver keeps has what it has handlers for, and what is to be changed has to be asked for first. */
function operationsOf(plan: EntityPlan | LinkPlan): RowDescription['operations'] {
  const isWritten = plan.kind === 'link' || !plan.readOnly;
  const { query: read, create, update, delete: remove } = plan.external ?? { query: true, create: true, update: true, delete: true };
  return Object.freeze({ create: isWritten && create, read, update: isWritten && read && update, delete: isWritten && read && remove });
}
