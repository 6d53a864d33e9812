// POST /platform.ai/Run/<id>/resume, /cancel, /approve, /reject: what can be done about the run of an agent. Answered with the run.
// What is approved or rejected may be named in the body: a run may wait for another call by the time somebody has decided.

import type { Caller } from '../../engine/caller.ts';
import type { RequestInfo, Result } from '../../engine/operation.ts';
import { error, FaultList, invalid } from '../../errors.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { JsonLimits } from '../../values/json/reader.ts';
import type { Value } from '../../values/value.ts';
import type { Endpoint } from '../endpoint.ts';
import type { HttpRequest } from '../exchange.ts';
import { readBody } from '../media/media.ts';
import { runHeader } from '../problem.ts';
import { segmentsOf } from './path.ts';
import type { Surface } from './surface.ts';

/** The call that somebody decides about; without it, the one that waits. Or the data that a run waits for. */
interface CallNamed {
  readonly step?: number;
  readonly call?: string;
  readonly data?: Value;
}

export interface RunNamed {
  readonly id: string;
  /** What the surface calls runs: the answer is in its names. */
  readonly type: string;
}

export interface RunActions {
  readonly actions: readonly string[];
  act(run: RunNamed, action: string, named: CallNamed, caller: Caller, request: RequestInfo): Promise<Result>;
}

export function runEndpoint({ actions, act }: RunActions, surface: Surface, limits: JsonLimits): Endpoint {
  return {
    matches: (request) => actionAt(request, actions) !== undefined,
    async respond(request, caller) {
      const found = actionAt(request, actions);
      if (found === undefined) throw error('path-unknown');
      if (request.method !== 'POST') throw error('method-not-allowed', { allow: ['POST'] });
      const result = await act(found.run, found.action, callNamed(request, found.action, limits), caller, request);
      const answer = await surface.toResponse(result, request, { kind: 'answer', response: { status: 200, headers: {}, body: undefined } });
      return { ...answer, headers: { ...answer.headers, [runHeader]: found.run.id } };
    },
  };
}

const places = [
  { path: '/platform.ai/Run/', type: 'platform.ai/Run' },
  { path: '/api/Platform.Core/Run/', type: 'Platform.Core/Run' },
];

function actionAt({ path }: HttpRequest, actions: readonly string[]): { readonly run: RunNamed; readonly action: string } | undefined {
  const place = places.find((each) => path.startsWith(each.path));
  if (place === undefined) return undefined;
  const [id, action, ...more] = segmentsOf(path).slice(place.path.split('/').length - 2);
  if (id === undefined || action === undefined || more.length > 0 || !actions.includes(action)) return undefined;
  return { run: { id, type: place.type }, action };
}

function callNamed(request: HttpRequest, action: string, limits: JsonLimits): CallNamed {
  const body = readBody(request, limits) ?? {};
  if (!isObject(body)) throw error('body-invalid');
  const { call, step, data } = body;
  const faults = new FaultList();
  const names = action === 'approve' || action === 'reject' ? ['call', 'step'] : action === 'resume' ? ['data'] : [];
  for (const name of Object.keys(body))
    if (!names.includes(name)) faults.push({ attribute: name, code: 'unknown', message: `${action} is told nothing of this name` });
  if (call !== undefined && typeof call !== 'string') faults.push({ attribute: 'call', code: 'type', message: 'must be a string' });
  if (step !== undefined && !isStep(step)) faults.push({ attribute: 'step', code: 'type', message: 'must be an integer' });
  if (faults.length > 0) throw invalid(faults);
  return {
    ...(typeof call === 'string' ? { call } : {}),
    ...(isStep(step) ? { step } : {}),
    ...(data === undefined ? {} : { data }),
  };
}

function isStep(step: Value | undefined): step is number {
  return Number.isSafeInteger(step) && Number(step) >= 0;
}
