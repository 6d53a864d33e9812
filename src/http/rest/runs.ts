// POST /platform.ai/Run/<id>/resume, /cancel, /approve, /reject: what can be done about the run of an agent. Answered with the run.

import type { Caller } from '../../engine/caller.ts';
import type { RequestInfo, Result } from '../../engine/operation.ts';
import { error } from '../../errors.ts';
import type { Endpoint } from '../endpoint.ts';
import type { HttpRequest } from '../exchange.ts';
import { runHeader } from '../problem.ts';
import { segmentsOf } from './path.ts';
import type { Surface } from './surface.ts';

export interface RunActions {
  readonly actions: readonly string[];
  act(run: string, action: string, caller: Caller, request: RequestInfo): Promise<Result>;
}

export function runEndpoint({ actions, act }: RunActions, surface: Surface): Endpoint {
  return {
    matches: (request) => actionAt(request, actions) !== undefined,
    async respond(request, caller) {
      const found = actionAt(request, actions);
      if (found === undefined) throw error('path-unknown');
      if (request.method !== 'POST') throw error('method-not-allowed', { allow: ['POST'] });
      const result = await act(found.run, found.action, caller, request);
      const { 'content-type': type = 'application/json', ...headers } = request.headers;
      const shown = { ...request, headers: { ...headers, 'content-type': type } };
      const answer = await surface.toResponse(result, shown, { kind: 'answer', response: { status: 200, headers: {}, body: undefined } });
      return { ...answer, headers: { ...answer.headers, [runHeader]: found.run } };
    },
  };
}

const places = ['/platform.ai/Run/', '/api/Platform.Core/Run/'];

function actionAt({ path }: HttpRequest, actions: readonly string[]): { readonly run: string; readonly action: string } | undefined {
  const place = places.find((each) => path.startsWith(each));
  if (place === undefined) return undefined;
  const [run, action, ...more] = segmentsOf(path).slice(place.split('/').length - 2);
  return run !== undefined && action !== undefined && more.length === 0 && actions.includes(action) ? { run, action } : undefined;
}
