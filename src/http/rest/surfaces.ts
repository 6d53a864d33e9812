// Which surface a request belongs to: its path says so, whatever the project's own surface is.

import type { HttpRequest } from '../exchange.ts';
import { isEarlierIdentityPath } from '../identity/identity.ts';
import type { Surface } from './surface.ts';

export interface Surfaces {
  readonly earlier: Surface | undefined;
  readonly current: Surface | undefined;
  /** The project's own: for the paths that both share. */
  readonly own: 'earlier' | 'current';
}

/** Both forms of one model, each at its own paths. */
export function bySurface(surfaces: Surfaces): Surface {
  const { earlier, current } = surfaces;
  const own = surfaces[surfaces.own] ?? current ?? earlier;
  if (own === undefined) throw new Error('no surface is served');
  if (earlier === undefined || current === undefined) return own;
  const of = (request: HttpRequest): Surface => (isEarlier(request.path) ? earlier : current);
  return {
    toOperation: (request) => of(request).toOperation(request),
    toResponse: (result, request, asked) => of(request).toResponse(result, request, asked),
    toError: (thrown, request) => (isShared(request.path) ? own : of(request)).toError(thrown, request),
  };
}

export function isEarlier(path: string): boolean {
  return path.startsWith('/api/') || path === '/api' || /^\/(q|dynamic|meta)(\/|$)/.test(path) || isEarlierIdentityPath(path);
}

function isShared(path: string): boolean {
  return /^\/($|health|ready|metrics|openapi\.json|docs|console|platform\/)/.test(path);
}
