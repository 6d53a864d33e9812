// Which tools an agent has: create, read and update for each entity that it lists, one for each event. Never more than its caller may do.

import { rolesOf } from '../../engine/caller.ts';
import type { Operation, WriteContext } from '../../engine/operation.ts';
import { documentationOf, isChangeable, isRequired } from '../../model/description.ts';
import type { Agent, EventType, Model, TypeName } from '../../model/model.ts';
import { isNamedTool } from '../../model/run-rules.ts';
import { adminRole } from '../../plan/access/right.ts';
import type { EntityPlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Values } from '../../values/value.ts';
import type { ToolSchema } from '../language-model.ts';
import { createOperation, readOperation, updateOperation } from './operations.ts';
import { attributeSchema, attributesSchema, isComparable, isSettable, objectSchema, type Properties } from './schema.ts';

export interface Tool {
  readonly schema: ToolSchema;
  readonly action: 'create' | 'read' | 'update' | 'run' | 'ask';
  /** What it works on: an entity, an event, or another agent. */
  readonly type: TypeName;
  /** Whether somebody has to approve of each call. */
  readonly needsApproval: boolean;
  /** What the arguments ask for; throws a PlatformError where they do not fit. */
  operation(given: Values): Operation;
}

type Context = Pick<WriteContext, 'plan' | 'guard' | 'caller'>;

export function toolsOf(agent: Agent, context: Context): readonly Tool[] {
  const { model, entities } = context.plan;
  const types = [...new Set(agent.tools.flatMap((name) => typesBehind(name, model)))];
  const tools = types.flatMap((type): readonly Tool[] => {
    const entity = entities.get(type);
    // What the service keeps is no affair of agents.
    if (entity !== undefined) return entity.entity.system === undefined ? entityTools(entity, context) : [];
    const event = model.events.get(type);
    return event === undefined || event.system !== undefined || !mayRun(event, agent, context) ? [] : [eventTool(event, agent, model)];
  });
  const delegates = agent.delegates.flatMap((name) => model.agents.get(name) ?? []);
  return distinctlyNamed([...tools, ...delegates.map(agentTool)]);
}

/** What is admin's alone is offered where the agent names it, or works for an admin. */
function mayRun(event: EventType, agent: Agent, { plan: { access }, caller }: Context): boolean {
  const ways = access?.runs.get(event.name)?.ways ?? [];
  const isForAdmins = ways.length > 0 && ways.every(({ kind }) => kind === 'admin');
  return !isForAdmins || isNamedTool(event, agent) || rolesOf(caller).includes(adminRole);
}

/** A module stands for its entities and its public events, but for internal ones: these are named themselves. */
function typesBehind(name: TypeName, model: Model): readonly TypeName[] {
  if (model.entities.has(name) || model.events.has(name)) return [name];
  const inModule = <T extends { readonly module: string; readonly name: TypeName }>(items: Iterable<T>) =>
    [...items].filter((each) => each.module === name);
  return [
    ...inModule(model.entities.values()).map((each) => each.name),
    ...inModule(model.events.values())
      .filter((each) => each.isPublic && each.isInternal !== true)
      .map((each) => each.name),
  ];
}

function entityTools(plan: EntityPlan, { plan: { model }, guard, caller }: Context): readonly Tool[] {
  const { type, local, entity } = plan;
  const tool = (action: 'create' | 'read' | 'update', description: string, parameters: ToolSchema['parameters']): Tool => ({
    action,
    type,
    needsApproval: approvalOf(entity.meta).includes(action),
    schema: { name: `${spelled(type)}_${action}`, description, parameters },
    operation: (given) => operations[action](plan, given),
  });
  const about = aboutOf(entity);
  const mayCreate = guard.rows('create', plan, caller).allowed;
  return [
    ...(mayCreate ? [tool('create', `Creates one ${local}.${about}`, createSchema(plan, model))] : []),
    tool('read', `Finds instances of ${local} by equality; without conditions all of them.${about}`, readSchema(plan, model)),
    tool('update', `Changes the given attributes of one ${local}.`, updateSchema(plan, model)),
  ];
}

const operations = { create: createOperation, read: readOperation, update: updateOperation } as const;

/** `@meta {"approve": ["create"]}`. */
function approvalOf({ approve }: Values): readonly unknown[] {
  return Array.isArray(approve) ? approve : [];
}

function aboutOf(part: { readonly meta: Values }): string {
  const text = documentationOf(part);
  return text === undefined ? '' : ` ${text}`;
}

function createSchema({ entity, contained, rootable, parents }: EntityPlan, model: Model): ToolSchema['parameters'] {
  const settable = entity.attributes.filter(isSettable);
  const required = settable.filter(isRequired).map((each) => each.name);
  const properties: Properties = Object.fromEntries(settable.map((each) => [each.name, attributeSchema(each, model)]));
  if (!contained) return objectSchema(properties, required);
  const above = parents.map((each) => each.parent.local).join(' or ');
  properties['parent'] = { type: 'string', description: `The __path__ of the ${above} that it belongs to, or its identifier.` };
  return objectSchema(properties, rootable ? required : [...required, 'parent']);
}

function readSchema({ entity, contained }: EntityPlan, model: Model): ToolSchema['parameters'] {
  const compared = entity.attributes.filter(isComparable);
  const properties: Properties = Object.fromEntries(compared.map((each) => [each.name, attributeSchema(each, model)]));
  if (contained) properties['__path__'] = { type: 'string' };
  properties['limit'] = { type: 'integer', minimum: 1, maximum: 50, description: 'Most instances to give; 20 without it.' };
  return objectSchema(properties, []);
}

function updateSchema({ entity, contained, identifier }: EntityPlan, model: Model): ToolSchema['parameters'] {
  const changed = entity.attributes.filter((each) => isSettable(each) && isChangeable(each));
  const properties: Properties = {
    [identifier.name]: attributeSchema(identifier.attribute, model),
    ...(contained ? { __path__: { type: 'string', description: 'Tells it from others of the same identifier.' } } : {}),
    ...Object.fromEntries(changed.map((each) => [each.name, attributeSchema(each, model)])),
  };
  return objectSchema(properties, contained ? [] : [identifier.name]);
}

function eventTool(event: EventType, agent: Agent, model: Model): Tool {
  const { name, local, attributes, open, meta } = event;
  const parameters = open ? openSchema(meta) : attributesSchema(attributes, model);
  return {
    action: 'run',
    type: name,
    needsApproval: approvalOf(meta).some((each) => each === 'create' || each === 'run'),
    schema: { name: spelled(name), description: `Runs ${local}.${aboutOf({ meta })}`, parameters },
    operation: (given) => ({ kind: 'invoke', target: event, body: given, isGranted: isNamedTool(event, agent) }),
  };
}

function agentTool(agent: Agent): Tool {
  const { name, local, role, settings } = agent;
  const about = role ?? settings['goal'];
  return {
    action: 'ask',
    type: name,
    needsApproval: false,
    schema: {
      name: spelled(name),
      description: `Asks the agent ${local}.${typeof about === 'string' ? ` ${about}` : ''}`,
      parameters: objectSchema({ message: { type: 'string', description: 'What it is asked.' } }, ['message']),
    },
    // Only for the audit trail: it is asked inside of the run.
    operation: (given) => ({ kind: 'invoke', target: agent, body: given }),
  };
}

/** Of an event that takes anything: what its server says of it, where that is known. */
function openSchema({ parameters }: Values): ToolSchema['parameters'] {
  return isObject(parameters) ? parameters : { type: 'object' };
}

const longestName = 64;

/** Vendors take letters, digits, `_` and `-`. */
function spelled(type: TypeName): string {
  return type.replace(/[^A-Za-z0-9_-]/g, '_');
}

/** Names that are too long are cut, and numbered where two are the same. */
function distinctlyNamed(tools: readonly Tool[]): readonly Tool[] {
  const taken = new Set<string>();
  return tools.map((tool) => {
    const { name } = tool.schema;
    let unique = name.slice(0, longestName);
    for (let number = 2; taken.has(unique); number += 1) unique = `${name.slice(0, longestName - 1 - String(number).length)}_${number}`;
    taken.add(unique);
    return unique === name ? tool : { ...tool, schema: { ...tool.schema, name: unique } };
  });
}
