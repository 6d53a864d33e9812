// Plan → the tools of the protocol: what can be done with each type, and each event and public agent. Made once for each model.

import type { Agent, EventType } from '../../model/model.ts';
import type { JsonSchema } from '../../model/types/attribute-type.ts';
import { describeRow, describeType } from '../../plan/description/description.ts';
import type { EntityPlan, LinkPlan, Names, Plan, Target } from '../../plan/plan.ts';
import { closedObject } from '../openapi/schemas/attribute.ts';
import { createRecordSchemas, type RecordSchemas } from '../openapi/schemas/record.ts';
import { changedAttributes, createdAttributes, fieldSchemas, identifierSchema } from '../openapi/schemas/row.ts';
import { eventBody } from '../openapi/schemas/schemas.ts';
import { addressArguments } from '../query/address.ts';
import { definitionsIn } from './definitions.ts';
import { nestedProperties } from './nested.ts';
import { type Results, resultsIn } from './results.ts';

type Row = EntityPlan | LinkPlan;

export type Action =
  | { readonly kind: 'create' | 'read' | 'list' | 'update' | 'delete'; readonly plan: Row }
  | { readonly kind: 'invoke'; readonly target: EventType | Agent };

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly isReadOnly: boolean;
  readonly isDestructive: boolean;
  readonly action: Action;
}

/** The most instances of one list. */
export const mostListed = 100;
export const usuallyListed = 20;

export function toolsOf(plan: Plan, names: Names): ReadonlyMap<string, Tool> {
  const results = resultsIn(plan);
  const tools = [...names].flatMap(([module, locals]) =>
    [...locals].flatMap(([local, target]) => toolsAt(`${module}_${local}`.replace(/[^\w-]/g, '_'), target, plan, results)),
  );
  return new Map(tools.map((each) => [each.name, each]));
}

function toolsAt(name: string, target: Target, plan: Plan, results: Results): readonly Tool[] {
  switch (target.kind) {
    case 'entity':
    case 'link':
      return rowTools(name, target.plan, plan);
    case 'event':
      return [eventTool(name, target.event, plan, results)];
    case 'agent':
      return target.agent.isPublic ? [agentTool(name, target.agent, results)] : [];
    default:
      return target;
  }
}

function rowTools(name: string, row: Row, plan: Plan): readonly Tool[] {
  const definitions = definitionsIn();
  const records = createRecordSchemas(plan.model, definitions.components);
  const tool = (
    kind: 'create' | 'read' | 'list' | 'update' | 'delete',
    description: string,
    input: JsonSchema,
    output: JsonSchema,
  ): Tool => ({
    name: `${name}_${kind}`,
    description: `${description}${aboutOf(row)}`,
    inputSchema: withDialect(definitions.around(input)),
    outputSchema: withTexts(definitions.around(output)),
    isReadOnly: kind === 'read' || kind === 'list',
    isDestructive: kind === 'delete',
    action: { kind, plan: row },
  });
  const instance: JsonSchema = { type: 'object', properties: fieldSchemas(row, records.anyAnswered), required: [row.identifier.name] };
  const versioned = { ...instance, properties: { ...fieldSchemas(row, records.anyAnswered), [versionMember]: versionShown } };
  const { operations } = describeRow(row);
  const tools = {
    create: () => [tool('create', `Creates a ${row.local}.`, createInput(row, records), versioned)],
    read: () => [
      tool('read', `Reads one ${row.local} by its identifier or its path.`, closedObject(addressProperties(row, 'read'), []), versioned),
      tool('list', `Lists instances of ${row.local}.`, listInput(row), listOutput(instance)),
    ],
    update: () => [tool('update', `Changes attributes of one ${row.local}.`, updateInput(row, records), versioned)],
    delete: () => [
      tool('delete', `Deletes one ${row.local}${row.kind === 'entity' ? ', and what it contains' : ''}.`, deleteInput(row), instance),
    ],
  };
  return (['create', 'read', 'update', 'delete'] as const).flatMap((each) => (operations[each] ? tools[each]() : []));
}

/** Those who would read it as an older one are told. */
function withDialect(schema: JsonSchema): JsonSchema {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema };
}

/** Where a whole number stands in an answer, a text may: JavaScript does not hold all of them. */
function withTexts(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    if (typeof value !== 'object' || value === null || !('type' in value)) return value;
    const types = [value.type].flat();
    return types.includes('integer') && !types.includes('string') ? { type: [...types, 'string'], ...without(value) } : value;
  });
}

/** Bounds of numbers say nothing of texts, and stay; the rest of a schema of a whole number is its type. */
function without({ type: _, format: __, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return rest;
}

function aboutOf(row: Row): string {
  const { documentation } = describeRow(row);
  return documentation === undefined ? '' : ` ${documentation}`;
}

/** What stands beside the name of an instance. */
export const furtherArguments = { read: [], update: ['changes', 'version'], delete: ['version'] } as const;

/** The identifier under its own name, if that is free; a contained instance is found by its path too. */
function addressProperties(row: Row, kind: keyof typeof furtherArguments): Record<string, JsonSchema> {
  const { id } = addressArguments(row, row.identifier.name, furtherArguments[kind]);
  const path = { type: 'string', description: 'The path of the instance, in place of its identifier.' };
  return { [id]: identifierSchema(row), ...(row.kind === 'entity' && row.contained ? { path } : {}) };
}

const version: JsonSchema = { type: 'integer', description: 'Only while the instance still has this version: the @version that it had.' };

/** What an answer has besides attributes. */
export const versionMember = '@version';
const versionShown: JsonSchema = { type: 'integer', description: 'What version takes, of an update and a delete.' };

function createInput(row: Row, { anySent }: RecordSchemas): JsonSchema {
  const { properties: own, required } = createdAttributes(row, anySent);
  if (row.kind === 'link') return closedObject(own, required);
  const properties = { ...own, ...nestedProperties(row, anySent) };
  if (!row.contained) return closedObject(properties, required);
  const parent = {
    type: 'string',
    description: `The path, or the identifier, of the ${row.parents.map((each) => each.parent.local).join(' or ')} that it stands in.`,
  };
  const relationship = { type: 'string', description: 'Where several relationships join the two.' };
  return closedObject(
    { ...properties, '@under': parent, '@relationship': relationship },
    row.rootable ? required : [...required, '@under'],
  );
}

function updateInput(row: Row, { anyAnswered, anySent }: RecordSchemas): JsonSchema {
  const changes = closedObject(changedAttributes(row, anyAnswered, anySent), []);
  return closedObject({ ...addressProperties(row, 'update'), changes, version }, ['changes']);
}

function deleteInput(row: Row): JsonSchema {
  return closedObject({ ...addressProperties(row, 'delete'), version }, []);
}

const operators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'between', 'like', 'ilike', 'has'];

function listInput(row: Row): JsonSchema {
  const attributes = describeRow(row).readable.map((each) => each.name);
  const comparison = { description: `A value, or an object of operators: ${operators.join(', ')} (null: true for absent ones).` };
  const where = {
    type: 'object',
    description: 'All of these hold. What stands along relationships goes by a name with dots: Relationship.Type.attribute.',
    properties: Object.fromEntries(attributes.map((name) => [name, comparison])),
    additionalProperties: true,
  };
  const orderBy = { type: 'array', items: { type: 'string' }, description: 'Attributes, with - in front for the other direction.' };
  const limit = { type: 'integer', minimum: 1, maximum: mostListed, default: usuallyListed };
  return closedObject({ where, orderBy, limit, after: { type: 'string', description: '`next` of the list before.' } }, []);
}

function listOutput(instance: JsonSchema): JsonSchema {
  const next = { type: 'string', description: 'What `after` takes for what comes behind; absent where nothing does.' };
  return { type: 'object', properties: { items: { type: 'array', items: instance }, next }, required: ['items'] };
}

function eventTool(name: string, event: EventType, plan: Plan, results: Results): Tool {
  const definitions = definitionsIn();
  const { anySent } = createRecordSchemas(plan.model, definitions.components);
  return {
    name,
    description: describeType(event).documentation ?? `Runs the event ${event.name}.`,
    inputSchema: withDialect(definitions.around(eventBody(event, anySent))),
    outputSchema: withTexts(results.ofEvent(event)),
    isReadOnly: false,
    isDestructive: false,
    action: { kind: 'invoke', target: event },
  };
}

function agentTool(name: string, agent: Agent, results: Results): Tool {
  return {
    name,
    description: `Asks the agent ${agent.name}.`,
    inputSchema: withDialect(closedObject({ message: { type: 'string' } }, ['message'])),
    outputSchema: withTexts(results.ofAgent(agent)),
    isReadOnly: false,
    isDestructive: false,
    action: { kind: 'invoke', target: agent },
  };
}
