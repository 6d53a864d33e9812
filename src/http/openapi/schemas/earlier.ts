// The schemas of the earlier surface: instances with tags, what stands below them under `->`, and bodies keyed by the names of types.

import type { JsonSchema } from '../../../model/types/attribute-type.ts';
import { describeRow } from '../../../plan/description/description.ts';
import type { LinkPlan, LinkWay, Step } from '../../../plan/plan.ts';
import { segment } from '../../../plan/rows/keys.ts';
import { linkMember } from '../../../plan/rows/link.ts';
import { kindTag, typeTag } from '../../rest/earlier/keyed.ts';
import { type Components, componentName, type Reference } from '../components.ts';
import type { Examples } from '../examples/examples.ts';
import { closedObject, described, type Properties, withExample } from './attribute.ts';
import type { RecordSchemas } from './record.ts';
import {
  besideLink,
  changedAttributes,
  changedLink,
  createdAttributes,
  existingBodies,
  fieldSchemas,
  type Members,
  oneOf,
  type RowPlan,
  relatedSchemas,
} from './row.ts';

export interface EarlierSchemas {
  /** An instance with its tags and all its attributes. */
  instance(plan: RowPlan): Reference;
  /** One of which `@select` may have left attributes out. */
  selected(plan: RowPlan): Reference;
  /** Without tags: under the name of its type. */
  untagged(plan: RowPlan): Reference;
  record(type: string): Reference;
  create(plan: RowPlan): Reference;
  linked(way: LinkWay): Reference;
  /** `way` is the link by which it was reached, where it was. */
  update(plan: RowPlan, way?: LinkWay): Reference;
}

/** `link` refers to the attributes of a link as linked instances show them. */
export function createEarlierSchemas(
  components: Components,
  records: RecordSchemas,
  link: (plan: LinkPlan) => Reference,
  examples: Examples,
): EarlierSchemas {
  const use = (type: string, suffix: string, make: () => JsonSchema): Reference =>
    components.use('schemas', `${componentName(type)}${suffix}`, make);
  const own = (plan: RowPlan): Properties => fieldSchemas(plan, records.anyAnswered);
  const shown = (plan: RowPlan): Properties => ({
    ...own(plan),
    ...relatedSchemas(plan, { instance: schemas.instance, link }),
    ...below(plan),
  });
  const tagged = (plan: RowPlan, required: readonly string[]): JsonSchema =>
    withTags('entity', plan.type, described({ type: 'object', properties: shown(plan), required }, describeRow(plan).documentation));
  const below = (plan: RowPlan): Properties => belowSchema(plan, schemas);
  const changes = (plan: RowPlan, way?: LinkWay): JsonSchema => {
    const { [linkMember]: _, ...related } = relatedSchemas(plan, { instance: schemas.instance, link });
    const unchanged = Object.entries({ ...related, ...below(plan) }).map(([name, schema]) => [name, { ...schema, readOnly: true }]);
    const linked = way?.link.hasAttributes === true ? { [linkMember]: changedLink(way.link, records.anyAnswered, records.anySent) } : {};
    const attributes = changedAttributes(plan, records.anyAnswered, records.anySent);
    return closedObject({ ...tagsOf('entity', plan.type), ...attributes, ...Object.fromEntries(unchanged), ...linked }, []);
  };
  const schemas: EarlierSchemas = {
    instance: (plan) =>
      use(plan.type, '-tagged', () => withExample(tagged(plan, describeRow(plan).always), taggedExample(plan, examples.instance(plan)))),
    selected: (plan) =>
      use(plan.type, '-tagged-selected', () =>
        withExample(tagged(plan, [plan.identifier.name, ...plan.systemFields]), taggedExample(plan, examples.known(plan))),
      ),
    untagged: (plan) =>
      use(plan.type, '-keyed', () =>
        withExample(
          described(
            { type: 'object', properties: { ...own(plan), ...below(plan) }, required: describeRow(plan).always },
            describeRow(plan).documentation,
          ),
          examples.instance(plan),
        ),
      ),
    record: (type) => use(type, '-tagged', () => withTags('record', type, records.members(type))),
    create: (plan) =>
      use(plan.type, '-keyed-create', () =>
        withExample(createBody(plan, schemas, records), keyedExample(plan.type, examples.create(plan))),
      ),
    linked: (way) => {
      const [type, name] = way.link.hasAttributes ? [way.link.type, `-${componentName(way.to.attribute)}`] : [way.target.type, ''];
      return use(type, `${name}-keyed-link`, () =>
        withExample(linkBody(way, schemas, records), keyedExample(way.target.type, examples.linked(way))),
      );
    },
    update: (plan, way) => {
      const [type, name] = way?.link.hasAttributes === true ? [way.link.type, `-${componentName(way.to.attribute)}`] : [plan.type, ''];
      const changed = () => use(type, `${name}-keyed-changes`, () => changes(plan, way));
      return use(type, `${name}-keyed-update`, () =>
        withExample(updateBody(plan, changed()), keyedExample(plan.type, examples.update(plan))),
      );
    },
  };
  return schemas;
}

function taggedExample({ type }: RowPlan, example: JsonSchema | undefined): JsonSchema | undefined {
  return example === undefined ? undefined : { [kindTag]: 'entity', [typeTag]: type, ...example };
}

/** Under the name of the type. */
export function keyedExample(type: string, example: JsonSchema | undefined): JsonSchema | undefined {
  return example === undefined ? undefined : { [type]: example };
}

function tagsOf(tag: 'entity' | 'record', type: string): Properties {
  return { [kindTag]: { const: tag, readOnly: true }, [typeTag]: { const: type, readOnly: true } };
}

function withTags(tag: 'entity' | 'record', type: string, schema: JsonSchema): JsonSchema {
  const tags = tagsOf(tag, type);
  const { properties, required } = schema;
  return {
    ...schema,
    properties: { ...tags, ...(typeof properties === 'object' ? properties : {}) },
    required: [...Object.keys(tags), ...(Array.isArray(required) ? required : [])],
  };
}

/** Lists, also along relationships to one: by the qualified names of relationships. */
function belowSchema(plan: RowPlan, schemas: EarlierSchemas): Properties {
  const ways = relationshipsOf(plan);
  if (ways.length === 0) return {};
  const lists = ways.map(([name, { target }]): [string, JsonSchema] => [name, { type: 'array', items: schemas.instance(target) }]);
  const description = 'Where there are any: related instances, by relationship.';
  return { '->': { type: 'object', properties: Object.fromEntries(lists), description } };
}

/** The relationships of an entity, by their qualified names. */
function relationshipsOf(plan: RowPlan): readonly (readonly [string, Step])[] {
  if (plan.kind === 'link') return [];
  const names = new Set([...plan.steps.values()].flat().map((step) => (step.kind === 'contains' ? step.contains.name : step.link.type)));
  return [...names].flatMap((name) => {
    const first = plan.steps.get(segment(name))?.[0];
    return first === undefined ? [] : [[name, first] as const];
  });
}

/** `{"C/E": {…}, "C/R": [{"C/K": {…}}]}`, at any depth. */
function createBody(plan: RowPlan, schemas: EarlierSchemas, records: RecordSchemas): JsonSchema {
  const { properties, required } = createdMembers(plan, schemas, records);
  return closedObject({ [plan.type]: closedObject(properties, required), ...createdBelow(plan, schemas) }, [plan.type]);
}

/** Names that the model gives to relationships stand among the attributes. */
function createdMembers(plan: RowPlan, schemas: EarlierSchemas, records: RecordSchemas): Members {
  const { properties, required } = createdAttributes(plan, records.anySent);
  for (const { name } of plan.kind === 'entity' ? plan.entity.extensions : []) {
    const way = plan.kind === 'entity' ? plan.linkNames.get(name) : undefined;
    const step = plan.kind === 'entity' ? plan.steps.get(name)?.[0] : undefined;
    if (way !== undefined) {
      const own = createdAttributes(way.link, records.anySent, [way.from]);
      const items = closedObject({ [way.link.type]: closedObject(own.properties, own.required) }, [way.link.type]);
      properties[name] = { type: 'array', items, description: `Linked with it by \`${way.link.local}\`.` };
    } else if (step !== undefined) properties[name] = belowBodies(step, schemas);
  }
  return { properties, required };
}

function createdBelow(plan: RowPlan, schemas: EarlierSchemas): Properties {
  return Object.fromEntries(relationshipsOf(plan).map(([name, step]) => [name, belowBodies(step, schemas)]));
}

function belowBodies(step: Step, schemas: EarlierSchemas): JsonSchema {
  return step.kind === 'contains'
    ? { type: 'array', items: schemas.create(step.target), description: 'Created with it.' }
    : { type: 'array', items: schemas.linked(step), description: 'Created with it, or existing ones, and linked.' };
}

function linkBody(way: LinkWay, schemas: EarlierSchemas, records: RecordSchemas): JsonSchema {
  const { target, link } = way;
  const made = target.rootable ? [createdMembers(target, schemas, records)] : [];
  const bodies = besideLink([...made, ...existingBodies(way, records.anySent)], link, records.anySent);
  // What needs nothing but its identifier is created as it is linked.
  const different = [...new Map(bodies.map((each) => [JSON.stringify(each), each])).values()];
  const keyed = target.rootable && different.length > 1 ? { type: 'object', anyOf: different } : oneOf(different);
  return closedObject({ [target.type]: keyed, ...(target.rootable ? createdBelow(target, schemas) : {}) }, [target.type]);
}

/** Under the name of the type, under `Data`, or as it was read. */
function updateBody({ type }: RowPlan, reference: Reference): JsonSchema {
  const changes = { ...reference };
  const read = { type: 'object', allOf: [changes], required: [typeTag] };
  return { type: 'object', anyOf: [closedObject({ [type]: changes }, [type]), closedObject({ Data: changes }, ['Data']), read] };
}
