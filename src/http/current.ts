// The current surface: paths without a prefix, flat bodies, RFC 9457 problems.

import type { Created, Instance, Operation, Result } from '../engine/operation.ts';
import { error, unreachable } from '../errors.ts';
import { writeJson } from '../model/json.ts';
import type { JsonLimits } from '../model/json-reader.ts';
import type { Value } from '../model/types/attribute-type.ts';
import type { Plan } from '../plan/plan.ts';
import { writeCursor } from './cursor.ts';
import { etagOf, hasVersion, matchVersions } from './etag.ts';
import type { HttpRequest, HttpResponse } from './exchange.ts';
import { readBody } from './media.ts';
import { replayed } from './once.ts';
import { type Place, placeOf, segmentsOf } from './path.ts';
import { toProblem } from './problem.ts';
import { listQuery, type QueryLimits, readQuery, refuseQuery } from './query.ts';
import { streamed } from './stream.ts';
import type { Asked, Surface } from './surface.ts';

export interface SurfaceLimits extends QueryLimits {
  readonly json: JsonLimits;
}

export function currentSurface(plan: Plan, limits: SurfaceLimits): Surface {
  return {
    toOperation(request) {
      const place = placeOf(plan, segmentsOf(request.path));
      if (request.method === 'OPTIONS')
        return { kind: 'answer', response: { status: 204, headers: { allow: allowed(place).join(', ') }, body: undefined } };
      return { kind: 'operation', operation: operationAt(place, request, limits), query: request.query };
    },
    toResponse,
    toError: toProblem,
  };
}

const json = 'application/json';

function operationAt(place: Place, request: HttpRequest, limits: SurfaceLimits): Operation {
  const { method, query } = request;
  if (!allowed(place).includes(method)) throw error('method-not-allowed', { allow: allowed(place) });
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && query !== '') refuseQuery(query);
  switch (place.kind) {
    case 'collection': {
      const at = place.collection;
      if (isRead) return { kind: 'list', at, query: listQuery(at.plan, query, limits) };
      return { kind: 'create', at, body: bodyOf(request, limits) };
    }
    case 'instance': {
      const at = place.address;
      if (isRead) {
        const { output, tree } = readQuery(at.in.plan, query);
        return tree ? { kind: 'tree', at } : { kind: 'read', at, output, key: query };
      }
      const versions = matchVersions(request);
      return method === 'DELETE' ? { kind: 'delete', at, versions } : { kind: 'update', at, body: bodyOf(request, limits), versions };
    }
    case 'callable':
      return { kind: 'invoke', target: place.target, body: readBody(request, limits.json) ?? {} };
    default:
      return unreachable(place);
  }
}

function allowed(place: Place): readonly string[] {
  switch (place.kind) {
    case 'collection':
      return collectionMethods;
    case 'instance':
      return instanceMethods;
    case 'callable':
      return callableMethods;
    default:
      return unreachable(place);
  }
}

const collectionMethods = ['GET', 'HEAD', 'POST', 'OPTIONS'];
const instanceMethods = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const callableMethods = ['POST', 'OPTIONS'];

function bodyOf(request: HttpRequest, limits: SurfaceLimits): Value {
  const body = readBody(request, limits.json);
  if (body === undefined) throw error('body-invalid', { detail: 'The body is missing.' });
  return body;
}

function toResponse(result: Result, request: HttpRequest, asked: Asked): HttpResponse {
  switch (result.kind) {
    case 'instance': {
      const { instance, created } = result;
      const etag = etagOf(instance.version);
      const body = flat(instance);
      if (created !== undefined) return { status: 201, headers: { 'content-type': json, etag, location: locationOf(created) }, body };
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (isRead && hasVersion(request, instance.version)) return { status: 304, headers: { etag }, body: undefined };
      return { status: 200, headers: { 'content-type': json, etag }, body };
    }
    case 'list': {
      const { first, rest, total, next } = result.list;
      const headers: Record<string, string> = { 'content-type': json };
      if (total !== undefined) headers['x-total-count'] = String(total);
      if (next !== undefined && asked.kind === 'operation' && asked.operation.kind === 'list') {
        headers['link'] = nextLink(request, writeCursor(asked.operation.query.order, next));
      }
      return { status: 200, headers, body: rest === undefined ? `[${first.json}]` : streamed(first, rest) };
    }
    case 'value':
      return { status: 200, headers: { 'content-type': json }, body: writeJson(result.value) };
    case 'replay':
      return replayed(result.answer);
    default:
      return unreachable(result);
  }
}

/** Nested instances stand under the bare names of their relationships (decisions 5.1). */
function flat({ json: own, nested }: Instance): string {
  if (nested.length === 0) return own;
  const members = nested.map(({ relationship, instances }) => `${JSON.stringify(relationship.local)}:[${instances.map(flat).join(',')}]`);
  return own === '{}' ? `{${members.join(',')}}` : `${own.slice(0, -1)},${members.join(',')}}`;
}

/** The same request, behind the cursor: `@offset` was for the first page alone. */
function nextLink(request: HttpRequest, cursor: string): string {
  const others = request.query.split('&').filter((part) => part !== '' && !/^(@|%40)(after|offset)=/i.test(part));
  return `<${request.path}?${[...others, `@after=${cursor}`].join('&')}>; rel="next"`;
}

/** `path://C$P/1/C$R/C$K/2` is found at `/C/P/1/R/K/2`; a name of another module stays qualified. */
export function locationOf({ plan, id, path }: Created): string {
  const slash = plan.type.indexOf('/');
  if (path === undefined) return `/${plan.type.slice(0, slash)}/${plan.local}/${encodeURIComponent(String(id))}`;
  const parts = path.slice('path://'.length).split('/');
  let module = '';
  return parts.reduce((location, part, index) => {
    if (index % 3 === 1) return `${location}/${part}`;
    const at = part.indexOf('$');
    const [owner, local] = [part.slice(0, at), part.slice(at + 1)];
    if (index === 0) {
      module = owner;
      return `/${encodeURIComponent(owner)}/${encodeURIComponent(local)}`;
    }
    const name = owner === module ? local : part;
    if (index % 3 === 0) module = owner;
    return `${location}/${encodeURIComponent(name)}`;
  }, '');
}
