// One request from its head to the end of its answer: limits, rate, preflight, body, respond, send, log.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { error, isError, type PlatformError, unreachable } from '../../errors.ts';
import type { MemoryBudget } from '../../memory-budget.ts';
import type { HttpResponse, Pieces, Respond } from '../exchange.ts';
import { negotiated } from '../media/media.ts';
import { toProblem } from '../problem.ts';
import type { Admission, Leave } from './admission.ts';
import { hasBody, type Received, receive } from './body.ts';
import type { Activity, Connections } from './connections.ts';
import { type Cors, cors } from './cors.ts';
import { Incoming, type ReceiveOptions, refusal, requestIds } from './incoming.ts';
import type { ServerSettings } from './limits.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { rateGate } from './rate-limit.ts';
import { type SendOptions, type Sent, sendStream, sendUnread, sendWhole, slicesOf } from './send.ts';

export interface ListenerParts {
  readonly settings: ServerSettings;
  readonly respond: Respond;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly connections: Connections;
  readonly budget: MemoryBudget;
  readonly admission: Admission;
  /** Whether the service is stopping: every answer is then the last on its connection. */
  readonly stopping: () => boolean;
}

/** `target` is the request's URL as sent. */
export type Listener = (raw: IncomingMessage, response: ServerResponse, target: string) => void;

export function createListener(parts: ListenerParts): Listener {
  const { settings, connections } = parts;
  const { limits, trustProxy = false, corsOrigins = [] } = settings;
  const reception: ReceiveOptions = { trustProxy, budget: parts.budget };
  const nextId = requestIds(randomBytes(6).toString('base64url'));
  const gate = settings.rateLimit === undefined ? undefined : rateGate(settings.rateLimit);
  const serving: Serving = {
    ...parts,
    logsRequests: parts.log.isLevelEnabled('info'),
    cors: corsOrigins.length === 0 ? undefined : cors(corsOrigins),
    sending: { closing: parts.stopping, stallTimeout: limits.stallTimeout },
  };
  const handle = (raw: IncomingMessage, response: ServerResponse, target: string, activity: Activity): void => {
    const request = new Incoming(raw, response, target, nextId(raw.headers['x-request-id']), activity, reception);
    serving.metrics.begin();
    const refused = refusal(request, target, limits) ?? rateRefusal(request, gate);
    const preflight = serving.cors?.preflight(request);
    if (refused !== undefined) refuse(serving, request, problemOf(refused, request));
    else if (preflight !== undefined) refuse(serving, request, preflight);
    else if (hasBody(raw)) receiveBody(serving, request);
    else answer(serving, request);
  };
  return (raw, response, target) => {
    const activity = connections.of(raw.socket);
    activity.pending += 1;
    inTurn(activity, raw, response, () => handle(raw, response, target, activity));
  };
}

/** So many requests may be read ahead of the one that is being answered, before no more is read from their connection. */
const mostAhead = 16;

/**
 * One request of a connection is worked on at a time, and the next one when the caller has taken the answer: what somebody asks for
 * without reading it takes up the room of one answer.
 */
function inTurn(activity: Activity, { socket }: IncomingMessage, response: ServerResponse, work: () => void): void {
  const { current, waiting } = activity;
  const start = (): void => {
    activity.current = response;
    response.once('close', () => {
      activity.current = undefined;
      startNext(activity, socket);
    });
    work();
  };
  if (current !== undefined) {
    waiting.push(start);
    if (waiting.length >= mostAhead) socket.pause();
  } else if (!isOver(socket)) start();
}

function startNext({ waiting }: Activity, socket: Socket): void {
  if (isOver(socket)) waiting.length = 0;
  const next = waiting.shift();
  if (next === undefined) return;
  if (waiting.length < mostAhead) socket.resume();
  next();
}

/** Whether the last answer of the connection has been sent: one behind it would never end, since nobody takes it. */
function isOver(socket: Socket): boolean {
  return socket.destroyed || socket.writableEnded;
}

interface Serving extends ListenerParts {
  readonly logsRequests: boolean;
  readonly cors: Cors | undefined;
  readonly sending: SendOptions;
}

function receiveBody(serving: Serving, request: Incoming): void {
  request.activity.receiving = true;
  receive(request, serving.settings.limits.body, (what) => received(serving, request, what));
}

function received(serving: Serving, request: Incoming, what: Received): void {
  request.activity.receiving = false;
  switch (what.kind) {
    case 'complete':
      request.body = what.body;
      answer(serving, request);
      break;
    case 'too-large':
      refuse(serving, request, problemOf(error('body-too-large'), request));
      break;
    case 'refused':
      refuse(serving, request, problemOf(what.reason, request));
      break;
    case 'aborted':
      ended(serving, request, gone);
      break;
    default:
      unreachable(what);
  }
}

/** Answers a request whose body, if it has one, is not wanted. */
function refuse(serving: Serving, request: Incoming, refused: HttpResponse): void {
  if (hasBody(request.raw)) {
    // The last answer on this connection stays pending, so that nothing else is ever answered behind it.
    request.activity.pending += 1;
    ended(serving, request, sendUnread(request, serving.cors?.allow(request, refused) ?? refused));
  } else {
    send(serving, request, refused);
  }
}

/** At once, or where too many are under way, when there is a place for it. */
function answer(serving: Serving, request: Incoming): void {
  const { admission } = serving;
  if (unlimited.has(request.path)) {
    answerNow(serving, request);
    return;
  }
  const client = request.remote;
  const refuse = (reason: PlatformError): void => failed(serving, request, reason);
  if (admission.isOpen(client)) answerNow(serving, request, () => admission.enter(client));
  else admission.wait(client, (leave) => answerWaiting(serving, request, leave), refuse);
}

function answerWaiting(serving: Serving, request: Incoming, leave: Leave): void {
  let isPending = false;
  // Nobody is there any more to whom it would make a difference.
  if (request.method === 'GET' && request.response.destroyed) ended(serving, request, gone);
  else
    answerNow(serving, request, () => {
      isPending = true;
      return leave;
    });
  if (!isPending) leave();
}

/** `enter` is called where it is not answered at once. */
function answerNow(serving: Serving, request: Incoming, enter: () => Leave = () => () => {}): void {
  try {
    const answered = serving.respond(request);
    if (answered instanceof Promise) {
      answered.finally(enter()).then(
        (response) => send(serving, request, response),
        (thrown: unknown) => failed(serving, request, thrown),
      );
    } else {
      send(serving, request, answered);
    }
  } catch (thrown) {
    failed(serving, request, thrown);
  }
}

function send(serving: Serving, request: Incoming, plain: HttpResponse): void {
  const response = serving.cors?.allow(request, plain) ?? plain;
  const { body, bytes } = response;
  try {
    const stream = bytes ?? (isStream(body) ? body : longText(request, body));
    if (stream !== undefined) {
      sendStream(request, response, stream, serving.sending).then(
        (sent) => ended(serving, request, sent),
        (thrown: unknown) => failed(serving, request, thrown),
      );
    } else {
      ended(serving, request, sendWhole(request, response, isStream(body) ? undefined : body, serving.sending));
    }
  } catch (thrown) {
    failed(serving, request, thrown);
  }
}

/** The answer itself may be what cannot be sent; a problem always can. */
function failed(serving: Serving, request: Incoming, thrown: unknown): void {
  const problem = problemOf(thrown, request);
  // Who is not waited for when the service stops has failed by nobody's fault.
  if (isError(thrown, 'service-stopping')) serving.log.warn({ id: request.id, err: thrown }, 'request failed');
  else if (problem.status >= 500) serving.log.error({ id: request.id, err: thrown }, 'request failed');
  const { headersSent, destroyed } = request.response;
  const response = serving.cors?.allow(request, problem) ?? problem;
  if (headersSent || destroyed) ended(serving, request, gone);
  else ended(serving, request, sendWhole(request, response, isStream(response.body) ? undefined : response.body, serving.sending));
}

function problemOf(thrown: unknown, request: Incoming): HttpResponse {
  return negotiated(toProblem(thrown, request), request);
}

const gone: Sent = { status: 0, bytes: 0 };

function ended(serving: Serving, request: Incoming, sent: Sent): void {
  request.activity.pending -= 1;
  request.releaseWhenSent();
  const milliseconds = performance.now() - request.started;
  const method = request.raw.method ?? '';
  serving.metrics.end(method, sent.status, milliseconds);
  if (sent.failure !== undefined) serving.log.error({ id: request.id, err: sent.failure }, 'answer cut');
  if (!serving.logsRequests) return;
  const { id, path } = request;
  const { status, bytes } = sent;
  const answered = { id, method, path, status, ms: Math.round(milliseconds * 1000) / 1000, bytes };
  if (serving.log.request === undefined) serving.log.info(answered, 'request');
  else serving.log.request(answered);
}

/** Whoever watches over the service asks whatever its callers do. */
const unlimited: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

function rateRefusal(request: Incoming, gate: ReturnType<typeof rateGate> | undefined): PlatformError | undefined {
  if (gate === undefined || unlimited.has(request.path)) return undefined;
  const retryAfter = gate(request.remote, request.started);
  return retryAfter === 0 ? undefined : error('too-many-requests', { retryAfter });
}

/** A text so long is sent in pieces: what it takes to make bytes of it, others do not wait for. */
const longest = 1_048_576;

function longText(request: Incoming, body: HttpResponse['body']): Pieces<string> | undefined {
  if (typeof body !== 'string' || body.length <= longest || request.raw.method === 'HEAD') return undefined;
  request.holdAnswer(body.length);
  return slicesOf(body);
}

function isStream(body: HttpResponse['body']): body is Pieces<string> {
  return typeof body === 'object' && Symbol.asyncIterator in body;
}
