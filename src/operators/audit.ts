// `POST /platform/audit/verify`: whether the audit trail is as it was written; as a stream of events, with how far it has got.

import { verifyServed } from '../audit/inspect.ts';
import { type Finding, findingText, type Verification } from '../audit/verify.ts';
import { error, errorCodes, PlatformError } from '../errors.ts';
import { type ChangeEvent, eventResponse, eventText, eventType } from '../http/event-stream.ts';
import type { HttpRequest, HttpResponse } from '../http/exchange.ts';
import { preferred } from '../http/media/media.ts';
import { jsonAnswer, parametersIn } from './answer.ts';
import type { OperatorParts } from './parts.ts';

/** So many findings are told one by one. */
const mostFindings = 1000;
/** Milliseconds between two events that tell how far it has got. */
const pause = 200;

export async function verifyAnswer(request: HttpRequest, parts: OperatorParts, running: Set<string>): Promise<HttpResponse> {
  parametersIn(request);
  if (parts.settings.audit === undefined)
    throw error('path-unknown', { detail: 'The audit trail is off in this project. Set auditTrail.enabled.' });
  refuseWhile(running);
  const accept = String(request.headers['accept'] ?? '');
  if (!accept.includes('event-stream') || preferred(accept, [eventType, 'application/json']) !== eventType)
    return jsonAnswer(await oneAtATime(running, request.id, () => verified(parts, request.signal, () => undefined)));
  return eventResponse(events(parts, request, running), eventText);
}

/** Each reads all of the trail. */
function refuseWhile(running: ReadonlySet<string>): void {
  if (running.size > 0) throw error('service-busy', { detail: 'The audit trail is being verified.', retryAfter: 10 });
}

async function oneAtATime<T>(running: Set<string>, id: string, work: () => Promise<T>): Promise<T> {
  refuseWhile(running);
  running.add(id);
  try {
    return await work();
  } finally {
    running.delete(id);
  }
}

interface Checked {
  readonly blocks: number;
  readonly sealed: number;
  /** Blocks that the anchor knows of: about as many as there are. */
  readonly known: number;
}

async function verified(parts: OperatorParts, signal: AbortSignal | undefined, told: (checked: Checked) => void): Promise<unknown> {
  const { plan, store, settings } = parts;
  const { audit } = settings;
  if (audit === undefined) throw new Error('asked only where it is on');
  const findings: Finding[] = [];
  const progress = async (checked: Checked): Promise<void> => {
    told(checked);
    // Others have their turn, and nobody goes on for somebody who is gone.
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  };
  const found = (finding: Finding): void => void (findings.length < mostFindings && findings.push(finding));
  const result: Verification = await verifyServed({ plan, store, audit }, { found, progress });
  return {
    ...result,
    findings: findings.map((each) => ({ ...each, message: findingText(each) })),
    found: result.findings,
  };
}

/** `progress` now and then, then `done` with the result, or `failed`. */
async function* events(parts: OperatorParts, { id, signal }: HttpRequest, running: Set<string>): AsyncGenerator<ChangeEvent> {
  const queue: ChangeEvent[] = [];
  let wake = (): void => undefined;
  let last = 0;
  const tell = (event: string, data: unknown): void => {
    queue.push({ event, id: undefined, data: JSON.stringify(data) });
    wake();
  };
  let isOver = false;
  const progress = (checked: Checked): void => {
    const now = parts.clock.now().getTime();
    if (now - last < pause) return;
    last = now;
    tell('progress', checked);
  };
  const work = oneAtATime(running, id, () => verified(parts, signal, progress))
    .then(
      (result) => tell('done', result),
      (thrown: unknown) => {
        // Whoever goes away ends it.
        if (!(thrown instanceof PlatformError) && signal?.aborted !== true)
          parts.log.error({ err: thrown }, 'the audit trail could not be verified');
        tell('failed', { message: thrown instanceof PlatformError ? thrown.message : errorCodes.internal });
      },
    )
    .finally(() => {
      isOver = true;
      wake();
    });
  while (!isOver || queue.length > 0) {
    const next = queue.shift();
    if (next !== undefined) yield next;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  await work;
}
