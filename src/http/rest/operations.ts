// Place and method → operation: what the surfaces have in common. How bodies and answers look is their presentation.

import type { Collection, Operation } from '../../engine/operation.ts';
import { error, unreachable } from '../../errors.ts';
import type { Agent, EventType } from '../../model/model.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import type { View } from '../../plan/query/selection.ts';
import type { LinkField } from '../../plan/query/shape.ts';
import type { JsonLimits } from '../../values/json/reader.ts';
import type { Value } from '../../values/value.ts';
import type { HttpRequest } from '../exchange.ts';
import { readBody } from '../media/media.ts';
import { versionsOf } from './etag.ts';
import type { Resource } from './path.ts';
import { listQuery, type QueryLimits, readQuery, refuseQuery } from './query/query.ts';

export interface SurfaceLimits extends QueryLimits {
  readonly json: JsonLimits;
}

/** What a surface makes of bodies: each gives flat attributes, with related instances under the names of their relationships. */
export interface Presentation extends View {
  createBody(body: Value, at: Collection): Value;
  updateBody(body: Value, plan: EntityPlan | LinkPlan): Value;
  callBody(body: Value, target: EventType | Agent): Value;
}

/** `asTree` is asked for by the path on the earlier surface, by a parameter on the current one. */
export function operationAt(
  place: Resource,
  request: HttpRequest,
  presentation: Presentation,
  limits: SurfaceLimits,
  asTree: boolean,
): Operation {
  const { method, query } = request;
  const allow = allowedAt(place, asTree);
  if (!allow.includes(method)) throw error('method-not-allowed', { allow });
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && query !== '') refuseQuery(query);
  switch (place.kind) {
    case 'collection': {
      const at = place.collection;
      if (isRead) return { kind: 'list', at, query: listQuery(at.plan, query, limits, presentation, linkAt(at)) };
      const body = bodyOf(request, limits);
      const flat = Array.isArray(body) ? body.map((each) => presentation.createBody(each, at)) : presentation.createBody(body, at);
      return { kind: 'create', at, body: flat };
    }
    case 'instance': {
      const at = place.address;
      const { plan } = at.in;
      if (isRead) {
        const { selection, tree } = readQuery(plan, query, presentation, linkAt(at.in));
        return tree || asTree ? { kind: 'tree', at } : { kind: 'read', at, selection };
      }
      const versions = versionsOf(request);
      if (method === 'DELETE') return { kind: 'delete', at, versions };
      return { kind: 'update', at, body: presentation.updateBody(bodyOf(request, limits), plan), versions };
    }
    case 'callable':
      return { kind: 'invoke', target: place.target, body: presentation.callBody(attributesOf(request, limits), place.target) };
    default:
      return unreachable(place);
  }
}

/** The attributes of the link that leads to a collection. */
function linkAt({ under }: Collection): LinkField | undefined {
  return under?.step.kind === 'link' ? under.step.field : undefined;
}

/** A tree is read; what it is the tree of is changed at a path of its own. */
export function allowedAt(place: Resource, asTree = false): readonly string[] {
  switch (place.kind) {
    case 'collection':
      return isReadOnly(place.collection.plan) ? readMethods : handled(collectionMethods, place.collection.plan);
    case 'instance':
      return asTree || isReadOnly(place.address.in.plan) ? readMethods : handled(instanceMethods, place.address.in.plan);
    case 'callable':
      return callableMethods;
    default:
      return unreachable(place);
  }
}

export function isReadOnly(plan: EntityPlan | LinkPlan): boolean {
  return plan.kind === 'entity' && plan.readOnly;
}

/** Of what a resolver keeps, only what it has a handler for; what is to be changed has to be asked for first. */
export function handled(methods: readonly string[], { external }: EntityPlan | LinkPlan): readonly string[] {
  if (external === undefined) return methods;
  const { query, create, update } = external;
  const has: Readonly<Record<string, boolean>> = {
    GET: query,
    HEAD: query,
    POST: create,
    PUT: query && update,
    PATCH: query && update,
    DELETE: query && external.delete,
  };
  return methods.filter((each) => has[each] ?? true);
}

const readMethods = ['GET', 'HEAD', 'OPTIONS'];
const collectionMethods = ['GET', 'HEAD', 'POST', 'OPTIONS'];
const instanceMethods = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const callableMethods = ['POST', 'OPTIONS'];

/** An event may come without any. */
function attributesOf(request: HttpRequest, limits: SurfaceLimits): Value {
  const body = readBody(request, limits.json);
  return body === undefined ? {} : body;
}

function bodyOf(request: HttpRequest, limits: SurfaceLimits): Value {
  const body = readBody(request, limits.json);
  if (body === undefined) throw error('body-invalid', { detail: 'The body is missing.' });
  return body;
}
