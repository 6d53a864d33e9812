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
  const raw: string[] = [];
  let from = 1;
  // `split` takes twice as long.
  for (let at = path.indexOf('/', from); at !== -1 && at < end; at = path.indexOf('/', from)) {
    raw.push(path.slice(from, at));
    if (raw.length >= mostSegments) throw error('path-unknown');
    from = at + 1;
  }
  raw.push(path.slice(from, end));
  return path.includes('%') ? raw.map(decode) : raw;
}

export function resourceOf(names: Names, segments: readonly string[]): Resource {
  const target = names.get(segments[0] ?? '')?.get(segments[1] ?? '');
  switch (target?.kind) {
    case 'entity':
    case 'link':
      return follow({ plan: target.plan, under: undefined }, segments, 2);
    case 'event':
      return callable(target.event, segments);
    case 'agent':
      // Without `@public` an agent is a step of flows, and nothing to be found over HTTP.
      if (!target.agent.isPublic) throw error('path-unknown');
      return callable(target.agent, segments);
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

function callable(target: EventType | Agent, segments: readonly string[]): Resource {
  if (segments.length > 2) throw error('path-unknown');
  return { kind: 'callable', target };
}

/** By the segments from `at` on. */
function follow(collection: Collection, segments: readonly string[], at: number): Resource {
  const text = segments[at];
  if (text === undefined) return { kind: 'collection', collection };
  const address = addressIn(collection, text);
  const relationship = segments[at + 1];
  if (relationship === undefined) return { kind: 'instance', address };
  const step = stepFrom(collection.plan, relationship, segments[at + 2]);
  if (step === undefined) throw error('path-unknown');
  return follow({ plan: step.target, under: { parent: address, step } }, segments, at + 3);
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
