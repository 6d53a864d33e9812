// The current surface: paths without a prefix, flat bodies, RFC 9457 problems.

import type { Created, Instance, Result } from '../../engine/operation.ts';
import { unreachable } from '../../errors.ts';
import { columnKind } from '../../model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import { plainView } from '../../plan/query/selection.ts';
import { identifierForm, idSegment } from '../../plan/rows/keys.ts';
import { linkMember } from '../../plan/rows/link.ts';
import { writeJson } from '../../values/json/json.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { customResponse, flatOutcome, flatPieces } from '../outcome.ts';
import { toProblem, withRun } from '../problem.ts';
import { replyResponse, waitingResponse } from './agent-answers.ts';
import { etagOf, isKnown } from './etag.ts';
import { replayed } from './idempotent-post.ts';
import { nextLink } from './link-header.ts';
import { allowedAt, operationAt, type Presentation, type SurfaceLimits } from './operations.ts';
import { resourceOf, segmentsOf } from './path.ts';
import { streamed } from './stream.ts';
import type { Asked, Surface } from './surface.ts';

export function currentSurface(plan: Plan, limits: SurfaceLimits): Surface {
  return {
    toOperation(request) {
      const place = resourceOf(plan.names, segmentsOf(request.path));
      if (request.method !== 'OPTIONS') return { kind: 'operation', operation: operationAt(place, request, flatBodies, limits, false) };
      return { kind: 'answer', response: { status: 204, headers: { allow: allowedAt(place).join(', ') }, body: undefined } };
    },
    toResponse,
    toError: toProblem,
  };
}

const json = 'application/json';

/** Bodies are what the engine takes. */
const flatBodies: Presentation = {
  ...plainView,
  createBody: (body) => body,
  updateBody: (body) => body,
  callBody: (body) => body,
};

function toResponse(result: Result, request: HttpRequest, asked: Asked): HttpResponse {
  switch (result.kind) {
    case 'instance': {
      const { instance, created } = result;
      const body = flat(instance);
      if (created !== undefined) {
        const tag = instance.isHidden === true ? {} : { etag: etagOf(instance.version) };
        return { status: 201, headers: { 'content-type': json, ...tag, location: locationOf(created) }, body };
      }
      const etag = etagOf(instance.version);
      if (isKnown(request, asked, instance.version)) return { status: 304, headers: { etag }, body: undefined };
      return { status: 200, headers: { 'content-type': json, etag }, body };
    }
    case 'instances':
      return { status: 201, headers: { 'content-type': json }, body: `[${result.instances.map(flat).join(',')}]` };
    case 'list': {
      const { first, rest, total, next } = result.list;
      const headers: Record<string, string> = { 'content-type': json };
      if (total !== undefined) headers['x-total-count'] = String(total);
      if (next !== undefined && asked.kind === 'operation' && asked.operation.kind === 'list') {
        headers['link'] = nextLink(request, asked.operation.query, next);
      }
      return { status: 200, headers, body: rest === undefined ? `[${first.json}]` : streamed(first, rest) };
    }
    case 'value':
      return { status: 200, headers: { 'content-type': json }, body: writeJson(result.value) };
    case 'outcome':
      return withRun(
        customResponse(result.outcome, flatOutcome, (thrown) => toProblem(thrown, request)) ?? {
          status: 200,
          headers: { 'content-type': json },
          body: flatPieces(result.outcome, request) ?? flatOutcome(result.outcome),
        },
        result.run,
      );
    case 'reply':
      return replyResponse(result, request);
    case 'waiting':
      return waitingResponse(result);
    case 'replay':
      return replayed(result.answer);
    default:
      return unreachable(result);
  }
}

/** Nested instances stand under the bare names of their relationships. */
function flat({ json: own, nested, link }: Instance): string {
  if (nested.length === 0 && link === undefined) return own;
  const members = nested.map(({ relationship, instances, single }) => {
    const texts = instances.map(flat);
    return `${JSON.stringify(relationship.local)}:${single ? (texts[0] ?? 'null') : `[${texts.join(',')}]`}`;
  });
  if (link !== undefined) members.unshift(`"${linkMember}":${link}`);
  return own === '{}' ? `{${members.join(',')}}` : `${own.slice(0, -1)},${members.join(',')}}`;
}

/** `path://C$P/1/C$R/C$K/2` is found at `/C/P/1/R/K/2`; a name of another module stays qualified. */
function locationOf({ plan, id, path }: Created): string {
  const slash = plan.type.indexOf('/');
  if (path === undefined)
    return `/${plan.type.slice(0, slash)}/${plan.local}/${idSegment(id, identifierForm(columnKind(plan.identifier.attribute)))}`;
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
