// The run of an agent as a stream of events, for those who ask for `text/event-stream`: steps, pieces of text and calls of tools as they happen.

import type { Caller } from '../../engine/caller.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Progress, Result } from '../../engine/operation.ts';
import { unreachable } from '../../errors.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Values } from '../../values/value.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { preferred } from '../media/media.ts';
import { runHeader } from '../problem.ts';
import { requestInfo } from '../request-info.ts';
import { onceAt } from './idempotent-post.ts';
import type { Asked, Surface } from './surface.ts';

const stream = 'text/event-stream';

type Invoke = Extract<Asked, { kind: 'operation' }>;

export interface EventParts {
  readonly surface: Surface;
  readonly engine: Engine;
  failed(thrown: unknown, request: HttpRequest): void;
}

/** Only agents tell what they do. */
export function wantsEvents({ headers: { accept } }: HttpRequest, asked: Invoke): boolean {
  if (typeof accept !== 'string' || asked.operation.kind !== 'invoke') return false;
  return 'instruction' in asked.operation.target && preferred(accept, [stream, 'application/json', 'text/plain']) === stream;
}

/** What is refused before a run begins is answered as without a stream. */
export async function eventsOf(request: HttpRequest, asked: Invoke, caller: Caller, parts: EventParts): Promise<HttpResponse> {
  const { surface, engine } = parts;
  const waiting: string[] = [];
  let wake = (): void => {};
  let run: string | undefined;
  let isOver = false;
  const send = (type: string, about: Values): void => {
    waiting.push(`event: ${type}\ndata: ${writeJson({ type, ...about })}\n\n`);
    wake();
  };
  let begun = (): void => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const progress = (each: Progress): void => {
    if (each.kind === 'run') run = each.run;
    const [type, about] = eventOf(each);
    send(type, about);
    begun();
  };
  const work = Promise.resolve(
    engine.execute(asked.operation, caller, requestInfo(request, undefined, progress), onceAt(request, asked, surface, caller)),
  );
  const done = work.then(
    (result) => {
      if (run === undefined) for (const [type, about] of replayOf(result)) send(type, about);
      send('RUN_FINISHED', endOf(result));
    },
    (thrown: unknown) => {
      parts.failed(thrown, request);
      const { body } = surface.toError(thrown, request);
      send('RUN_ERROR', { runId: run ?? null, problem: typeof body === 'string' ? JSON.parse(body) : null });
    },
  );
  // Where it ends before a run has begun, what it throws is the answer.
  await Promise.race([hasBegun, work]);
  void done.finally(() => {
    isOver = true;
    wake();
  });
  async function* frames(): AsyncGenerator<string, void> {
    for (;;) {
      const text = waiting.splice(0).join('');
      if (text !== '') yield text;
      else if (isOver) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (waiting.length > 0 || isOver) resolve();
        });
    }
  }
  return {
    status: 200,
    headers: { 'content-type': stream, 'cache-control': 'no-store', ...(run === undefined ? {} : { [runHeader]: run }) },
    body: frames(),
  };
}

function eventOf(progress: Progress): readonly [type: string, about: Values] {
  switch (progress.kind) {
    case 'run':
      return ['RUN_STARTED', { runId: progress.run }];
    case 'step':
      return ['STEP_STARTED', { stepName: progress.step }];
    case 'step-end':
      return ['STEP_FINISHED', { stepName: progress.step }];
    case 'text':
      return ['TEXT_MESSAGE_CONTENT', { stepName: progress.step, delta: progress.delta }];
    case 'call':
      return [
        'TOOL_CALL_START',
        { stepName: progress.step, toolCallId: progress.call, toolCallName: progress.tool, arguments: progress.arguments },
      ];
    case 'called':
      return ['TOOL_CALL_RESULT', { stepName: progress.step, toolCallId: progress.call, content: progress.result }];
    default:
      return unreachable(progress);
  }
}

/** An equal request that was answered before. */
function replayOf(result: Result): readonly (readonly [type: string, about: Values])[] {
  return result.kind === 'reply' || result.kind === 'waiting' ? [['RUN_STARTED', { runId: result.run }]] : [];
}

function endOf(result: Result): Values {
  switch (result.kind) {
    case 'reply':
      return { runId: result.run, status: 'succeeded', result: result.value };
    case 'waiting': {
      const { kind: status, run: runId, ...waitingFor } = result;
      return { runId, status, waitingFor };
    }
    default:
      return { status: 'succeeded' };
  }
}
