// Resources: `platform://<module>/<Entity>/<id>`, and the model as a document.

import { error } from '../../errors.ts';
import { type AttributeDescription, describeRow, describeType } from '../../plan/description/description.ts';
import type { EntityPlan, Plan, Target } from '../../plan/plan.ts';
import type { Values } from '../../values/value.ts';
import { addressArguments } from '../query/address.ts';
import { type Action, furtherArguments } from './tools.ts';

const scheme = 'platform://';

export function resourceTemplates(plan: Plan) {
  return entitiesOf(plan).map(({ type, local, identifier }) => ({
    uriTemplate: `${scheme}${type}/{${identifier.name.replace(/\W/g, '_')}}`,
    name: type,
    description: `One ${local}, by its identifier.`,
    mimeType: 'application/json',
  }));
}

function entitiesOf({ names }: Plan): readonly EntityPlan[] {
  const targets: readonly Target[] = [...names.values()].flatMap((locals) => [...locals.values()]);
  return targets.flatMap((each) => (each.kind === 'entity' ? [each.plan] : []));
}

/** The identifier is percent-encoded, as in a path. */
export function resourceAction(uri: string, plan: Plan): { readonly action: Action; readonly given: Values } {
  const [module = '', local = '', id, ...more] = uri.startsWith(scheme) ? uri.slice(scheme.length).split('/') : [];
  const target = plan.names.get(module)?.get(local);
  if (target?.kind !== 'entity' || id === undefined || more.length > 0) throw error('path-unknown');
  const { id: argument } = addressArguments(target.plan, target.plan.identifier.name, furtherArguments.read);
  return { action: { kind: 'read', plan: target.plan }, given: { [argument]: decoded(id) } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw error('path-unknown', {}, cause);
  }
}

/** What can be asked for: types with their attributes and relationships, and events. */
export function modelText(plan: Plan): string {
  const modules = [...plan.names].map(([name, locals]) => ({ name, types: [...locals].map(([local, target]) => describe(local, target)) }));
  return JSON.stringify({ modules });
}

function describe(name: string, target: Target): unknown {
  switch (target.kind) {
    case 'entity':
    case 'link': {
      const { identifier, readable, relations } = describeRow(target.plan);
      const relationships = relations.map(([relationship, step]) => ({
        name: relationship,
        to: step.target.type,
        kind: step.kind,
      }));
      return {
        kind: target.kind === 'entity' ? 'entity' : 'relationship',
        name,
        identifier: identifier.name,
        attributes: readable.map(shortly),
        relationships,
      };
    }
    case 'event':
      return {
        kind: 'event',
        name,
        attributes: describeType(target.event).attributes.map(shortly),
      };
    default:
      return { kind: 'agent', name };
  }
}

function shortly({ name, type, list, optional }: AttributeDescription) {
  return { name, type: `${type}${list ? '[]' : ''}`, optional };
}
