// GET of a list or an instance with `Accept: text/event-stream`: its changes, as server-sent events.

import type { Caller } from '../../engine/caller.ts';
import type { Fault } from '../../errors.ts';
import { fault } from '../../plan/rows/attribute.ts';
import { type ChangeSource, credentialsOf, eventResponse, eventText, eventType } from '../event-stream.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { preferred } from '../media/media.ts';
import { pairsOf, queryInvalid } from './query/query-string.ts';
import type { Surface } from './surface.ts';

export interface ChangeParts extends ChangeSource {
  readonly surface: Surface;
}

export function wantsChanges({ method, headers: { accept } }: HttpRequest): boolean {
  if (method !== 'GET' || typeof accept !== 'string' || !accept.includes('event-stream')) return false;
  return preferred(accept, medias) === eventType;
}

const medias = [eventType, 'application/json', 'application/transit+json'];

/** Nothing where what is asked for has no changes: then it is answered as ever. */
export async function changesAt(request: HttpRequest, caller: Caller, parts: ChangeParts): Promise<HttpResponse | undefined> {
  const { initial, query } = withoutInitial(request.query);
  const asked = parts.surface.toOperation({ ...plain(request), query });
  if (asked.kind !== 'operation' || (asked.operation.kind !== 'list' && asked.operation.kind !== 'read')) return undefined;
  refuseOrder(query);
  const last = request.headers['last-event-id'];
  const events = await parts.open(asked.operation, caller, {
    after: typeof last === 'string' && last !== '' ? last : undefined,
    initial,
    remote: request.remote,
    signal: request.signal,
    stillThere: () => parts.authenticate(request),
    credentials: credentialsOf(request),
  });
  return eventResponse(events, eventText);
}

/** A request as it comes from a socket has getters, which a copy would not have. */
function plain({ method, path, headers, body, id, remote }: HttpRequest): Omit<HttpRequest, 'query'> {
  return { method, path, headers, body, id, remote };
}

function withoutInitial(query: string): { readonly initial: boolean; readonly query: string } {
  const faults: Fault[] = [];
  let initial: boolean | undefined;
  const rest = query.split('&').filter((part) => {
    const [pair] = part === '' ? [] : pairsOf(part);
    if (pair?.name !== '@initial') return true;
    if (pair.value !== 'true' && pair.value !== 'false') faults.push(fault('@initial', 'value', 'must be true or false'));
    else if (initial !== undefined) faults.push(fault('@initial', 'value', 'stands more than once'));
    initial = pair.value === 'true';
    return false;
  });
  if (faults.length > 0) throw queryInvalid(faults);
  return { initial: initial ?? false, query: rest.join('&') };
}

const ofLists: ReadonlySet<string> = new Set(['@sort', '@limit', '@offset', '@after', '@count', '@search', '@rights']);

/** Changes come in the order in which they were made. */
function refuseOrder(query: string): void {
  const faults = pairsOf(query).flatMap(({ name }) =>
    ofLists.has(name) ? [fault(name, 'unknown', 'a stream of changes has no such parameter')] : [],
  );
  if (faults.length > 0) throw queryInvalid(faults);
}
