// The parameters by which lists are filtered, each with its type: attributes, values inside of them, and the same one and two relationships further.

import type { JsonSchema } from '../../model/types/attribute-type.ts';
import { describeAttribute } from '../../plan/description/description.ts';
import type { AttributePlan, EntityPlan, LinkPlan, Step } from '../../plan/plan.ts';
import { parentWays } from '../../plan/query/related.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import { type Components, componentName, type Reference } from './components.ts';
import { itemSchema } from './schemas/attribute.ts';
import { endRequest } from './schemas/row.ts';

interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
}

/** Shared by every list of a type. */
export function filterParameters(plan: EntityPlan | LinkPlan, components: Components): readonly Reference[] {
  const own = plan.output.fields.flatMap(({ name }) => {
    const attribute = plan.attribute.get(name);
    return attribute === undefined ? systemParameter(plan, name) : [...attributeParameters(attribute, name)];
  });
  const related = plan.kind === 'entity' ? relatedParameters(plan) : [];
  return [...own, ...related].map(({ name, description, schema }) =>
    components.use('parameters', `${componentName(plan.type)}-${componentName(name.replace(/\[null\]$/, ''))}`, () => ({
      name,
      in: 'query',
      required: false,
      description,
      schema,
    })),
  );
}

function systemParameter(plan: EntityPlan | LinkPlan, name: string): readonly Parameter[] {
  const end = plan.kind === 'link' ? plan.ends.find((each) => each.attribute === name) : undefined;
  if (name !== pathColumn && end === undefined) return [];
  return [compared(name, end === undefined ? { type: 'string' } : endRequest(end))];
}

function compared(name: string, schema: JsonSchema): Parameter {
  return { name, description: `What \`${name}\` is. Other comparisons: \`${name}[op]\`.`, schema };
}

function held(name: string, schema: JsonSchema): Parameter {
  return { name: `${name}[has]`, description: `What \`${name}\` holds among others.`, schema };
}

/** A single value by itself, a record by its attributes, a list by what it holds; whatever else, by whether it is there. */
function attributeParameters(plan: AttributePlan, name: string): readonly Parameter[] {
  const { attribute } = plan;
  const single = itemSchema(describeAttribute(attribute));
  const isThere: Parameter = { name: `${name}[null]`, description: `Whether \`${name}\` is absent.`, schema: { type: 'boolean' } };
  if (single !== undefined) return attribute.list ? [isThere, held(name, single)] : [compared(name, single)];
  const fields = attribute.list ? [] : (plan.fieldsOf?.() ?? []).filter((each) => !each.hidden);
  const inside = fields.flatMap((each) => {
    const schema = itemSchema(describeAttribute(each.attribute));
    if (schema === undefined) return [];
    return [each.attribute.list ? held(`${name}.${each.name}`, schema) : compared(`${name}.${each.name}`, schema)];
  });
  return [isThere, ...inside];
}

/** What one relationship leads to: the instances there, or the links themselves. */
interface Way {
  /** As filters name it: `Rel.Other`, or `Rel` for links. */
  readonly name: string;
  /** Qualified. */
  readonly relationship: string;
  readonly target: EntityPlan | LinkPlan;
}

/** Those two relationships further, as long as there are no more of them than somebody reads. Deeper ones are asked for in the same way. */
const mostOfSecond = 100;

function relatedParameters(plan: EntityPlan): readonly Parameter[] {
  const first = waysOf(plan);
  const further = first.flatMap(({ name, relationship, target }) =>
    target.kind === 'link'
      ? []
      : waysOf(target)
          // Not straight back.
          .filter((way) => way.relationship !== relationship)
          .flatMap((way) => along(`${name}.${way.name}`, way.target)),
  );
  const near = first.flatMap((way) => along(way.name, way.target));
  // A link of a type with itself leads both ways.
  return [...new Map([...near, ...further.slice(0, mostOfSecond)].map((each) => [each.name, each])).values()];
}

function waysOf(plan: EntityPlan): readonly Way[] {
  const steps = new Set<Step>();
  const down = [...plan.steps].flatMap(([name, ways]) =>
    ways.flatMap((way): readonly Way[] => {
      if (name.includes('$') || steps.has(way)) return [];
      steps.add(way);
      const relationship = way.kind === 'link' ? way.link.type : way.contains.contains.name;
      const other = way.kind === 'link' ? way.to.attribute : (way.names[0] ?? '');
      const ofLink = way.kind === 'link' && way.link.hasAttributes ? [{ name, relationship, target: way.link }] : [];
      return [{ name: `${name}.${other}`, relationship, target: way.target }, ...ofLink];
    }),
  );
  const up = parentWays(plan).flatMap(([name, way]): readonly Way[] =>
    way.kind === 'parent' ? [{ name: `${name}.${way.target.local}`, relationship: way.contains.contains.name, target: way.target }] : [],
  );
  return [...down, ...up];
}

function along(name: string, { attributes }: EntityPlan | LinkPlan): readonly Parameter[] {
  return attributes
    .filter((each) => !each.hidden)
    .flatMap((each) => attributeParameters(each, `${name}.${each.name}`))
    .map((each) => ({ ...each, description: `Of one that it leads to. ${each.description}` }));
}
