// Paths → addresses: `/<module>/<Entity>/<id>/<Rel>/<Child>/<childId>`, at any depth.

import type { Address, Collection } from '../../engine/operation.ts';
import { error } from '../../errors.ts';
import type { Agent, EventType } from '../../model/model.ts';
import { columnKind } from '../../model/model.ts';
import { segmentAsText } from '../../model/types/scalar.ts';
import type { EntityPlan, LinkPlan, Names, Step } from '../../plan/plan.ts';

export type Resource =
  | { readonly kind: 'collection'; readonly collection: Collection }
  | { readonly kind: 'instance'; readonly address: Address }
  | { readonly kind: 'callable'; readonly target: EventType | Agent };

/** Deeper paths than any model is likely to have are refused before they are followed. */
const mostSegments = 128;

/** Identifiers are percent-decoded once; a trailing slash makes no difference. */
export function segmentsOf(path: string): readonly string[] {
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length;
  const raw = path.slice(1, end).split('/');
  if (raw.length > mostSegments) throw error('path-unknown');
  return path.includes('%') ? raw.map(decode) : raw;
}

export function resourceOf(names: Names, segments: readonly string[]): Resource {
  const [module = '', name = '', ...rest] = segments;
  const target = names.get(module)?.get(name);
  switch (target?.kind) {
    case 'entity':
    case 'link':
      return follow({ plan: target.plan, under: undefined }, rest);
    case 'event':
      return callable(target.event, rest);
    case 'agent':
      // Without `@public` an agent is a step of flows, and nothing to be found over HTTP.
      if (!target.agent.isPublic) throw error('path-unknown');
      return callable(target.agent, rest);
    default:
      throw error('path-unknown');
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw error('request-unreadable', { detail: 'The path is not percent-encoded UTF-8.' }, cause);
  }
}

function callable(target: EventType | Agent, rest: readonly string[]): Resource {
  if (rest.length > 0) throw error('path-unknown');
  return { kind: 'callable', target };
}

function follow(collection: Collection, rest: readonly string[]): Resource {
  if (rest.length === 0) return { kind: 'collection', collection };
  const [text = '', relationship, child, ...further] = rest;
  const address = addressIn(collection, text);
  if (relationship === undefined) return { kind: 'instance', address };
  const step = stepFrom(collection.plan, relationship, child);
  if (step === undefined) throw error('path-unknown');
  return follow({ plan: step.target, under: { parent: address, step } }, further);
}

/** An identifier of the wrong type addresses nothing. */
function addressIn(collection: Collection, text: string): Address {
  const { plan, under } = collection;
  const id = plan.identifier.parseText(text) ?? null;
  const named = plan.kind === 'entity' && under?.step.kind !== 'contains' ? plan.guid : undefined;
  const guid = named?.parseText(text) ?? null;
  if (id === null && guid === null) throw error('instance-not-found');
  const otherwise = columnKind(plan.identifier.attribute) === 'scalar' ? segmentAsText(text) : undefined;
  return { in: collection, id, otherwise, guid: guid ?? undefined };
}

function stepFrom(plan: EntityPlan | LinkPlan, relationship: string, child: string | undefined): Step | undefined {
  if (plan.kind === 'link' || child === undefined) return undefined;
  return plan.steps.get(relationship)?.find((step) => step.names.includes(child));
}
