// A conversation with an agent: what was said, and the run behind the last message. It is kept until somebody signs out, whichever page is shown.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseJson } from '../../api/json.ts';
import { type AgentDescription, useModel } from '../../api/model.ts';
import { problemOf, send } from '../../api/request.ts';
import { readEvents } from '../../api/server-events.ts';
import { sessionEnd } from '../../api/session.ts';
import { afterEvent, type LiveRun, newRun } from './live-run.ts';
import { messageTo, type Run, readRun, runEntity } from './runs.ts';

export interface Exchange {
  readonly message: string;
  readonly run: LiveRun;
  /** What kept the message from being heard. */
  readonly thrown?: unknown;
}

export interface Conversation {
  readonly name: string;
  readonly exchanges: readonly Exchange[];
  readonly isBusy: boolean;
}

export interface Talk extends Conversation {
  /** False where it was not heard. */
  say(message: string): Promise<boolean>;
  stop(): void;
  beginAnew(): void;
  /** What a run came to after somebody decided. */
  note(run: Run): void;
}

/** Of what is being answered, by agent: it goes on while another page is shown, and can be stopped from the next. */
const underWay = new Map<string, AbortController>();

export function useConversation(agent: AgentDescription): Talk {
  const client = useQueryClient();
  const model = useModel();
  const queryKey = ['conversation', agent.name];
  const { data } = useQuery<Conversation>({
    queryKey,
    // Whoever signs in again reads everything anew: what was said is kept here alone.
    queryFn: () => client.getQueryData<Conversation>(queryKey) ?? empty(),
    initialData: empty,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  // Nothing comes back once its user has signed out.
  const change = (changed: (now: Conversation) => Conversation): void => {
    client.setQueryData<Conversation>(queryKey, (now) => (now === undefined ? undefined : changed(now)));
  };
  const inLast = (changed: (last: Exchange) => Exchange): void =>
    change((now) => ({ ...now, exchanges: now.exchanges.map((each, at) => (at === now.exchanges.length - 1 ? changed(each) : each)) }));
  const replaceRun = (run: Run): void =>
    change((now) => ({
      ...now,
      exchanges: now.exchanges.map((each) => (each.run.id === run.id ? { ...each, run: { ...run, saying: '' } } : each)),
    }));
  const kept = async (id: string, signal: AbortSignal): Promise<void> => {
    const entity = runEntity(model);
    if (entity === undefined || id === '') return;
    const run = await readRun(entity, id, signal);
    client.setQueryData(['run', id], run);
    replaceRun(run);
  };
  const say = async (message: string): Promise<boolean> => {
    const stop = new AbortController();
    const end = (): void => stop.abort();
    const over = sessionEnd();
    over.addEventListener('abort', end);
    underWay.set(agent.name, stop);
    change((now) => ({ ...now, isBusy: true, exchanges: [...now.exchanges, { message, run: newRun(agent.name, message) }] }));
    let id = '';
    try {
      const body = messageTo(agent.name, message, data.name);
      const headers = { accept: 'text/event-stream' };
      const response = await send({ method: 'POST', path: agent.path, body, headers, signal: stop.signal });
      if (!response.ok || response.body === null) throw problemOf(response.status, parsed(await response.text()));
      await readEvents(response.body, ({ data: text }) => {
        inLast((last) => {
          const run = afterEvent(last.run, text);
          id = run.id;
          return { ...last, run };
        });
      });
      inLast((last) => (last.run.ended === undefined ? { ...last, run: { ...last.run, status: 'interrupted' } } : last));
      await kept(id, stop.signal);
      return true;
    } catch (failure) {
      inLast((last) => ({
        ...last,
        thrown: stop.signal.aborted ? new Error('Stopped.') : failure,
        run: { ...last.run, status: 'failed' },
      }));
      return false;
    } finally {
      over.removeEventListener('abort', end);
      underWay.delete(agent.name);
      change((now) => ({ ...now, isBusy: false }));
      client.invalidateQueries({ queryKey: ['runs'] });
    }
  };
  return {
    ...data,
    say,
    stop: () => underWay.get(agent.name)?.abort(),
    beginAnew: () => change(empty),
    note: replaceRun,
  };
}

function empty(): Conversation {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return { name: `console-${[...bytes].map((each) => each.toString(16).padStart(2, '0')).join('')}`, exchanges: [], isBusy: false };
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
