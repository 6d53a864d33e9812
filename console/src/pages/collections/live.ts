// Changes of a list as they happen: rows in sight are changed in place, new ones are counted until the reader asks for them.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { listOf, pathOf } from '../../api/instances.ts';
import { parseJson } from '../../api/json.ts';
import type { EntityDescription } from '../../api/model.ts';
import { send } from '../../api/request.ts';
import { readEvents, type ServerEvent } from '../../api/server-events.ts';
import { useSession } from '../../api/session.ts';
import { replaceRow } from './rows.ts';

export interface Live {
  readonly isOpen: boolean;
  /** How many have been created that are not shown. */
  readonly added: number;
  show(): void;
}

export function useLive(path: string | undefined, queryKey: readonly unknown[], entity: EntityDescription): Live {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [added, setAdded] = useState(0);
  // Whoever has signed in again follows again.
  const session = useSession();
  useEffect(() => {
    const stop = new AbortController();
    setOpen(false);
    setAdded(0);
    if (session !== 'in' || path === undefined) return undefined;
    // Places have moved: what is in sight is read again, once for many.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const changed = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        client.invalidateQueries({ queryKey });
      }, 200);
    };
    const onEvent = ({ event, data }: ServerEvent): void => {
      if (event === 'ready') {
        setOpen(true);
        // What happened before, or while the stream was cut, is told by nobody.
        client.invalidateQueries({ queryKey });
        client.invalidateQueries({ queryKey: ['record'] });
      }
      if (!['create', 'update', 'delete', 'gone'].includes(event)) return;
      const [row = {}] = listOf(parseJson(data));
      const known = pathOf(entity, row);
      client.invalidateQueries({ queryKey: ['record', known] });
      if (event === 'delete' || event === 'gone') changed();
      else if (!replaceRow(client, queryKey, entity, row) && event === 'create') setAdded((count) => count + 1);
    };
    follow(path, stop.signal, onEvent, () => setOpen(false));
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [path, queryKey, entity, client, session]);
  const show = (): void => {
    setAdded(0);
    client.invalidateQueries({ queryKey });
  };
  return { isOpen, added, show };
}

/** Begins anew, a little later each time, where the stream ends; not at all where the service has none. */
async function follow(path: string, signal: AbortSignal, onEvent: (event: ServerEvent) => void, onEnd: () => void): Promise<void> {
  for (let pause = 1000; !signal.aborted; pause = Math.min(30_000, pause * 2)) {
    try {
      const response = await send({ path, headers: { accept: 'text/event-stream' }, signal });
      if (!response.ok || response.body === null) {
        if (response.status < 500 && response.status !== 401 && response.status !== 429) return onEnd();
      } else {
        await readEvents(response.body, (event) => {
          pause = 1000;
          onEvent(event);
        });
      }
    } catch {
      // The stream was cut: it is opened anew below, unless the page was left.
    }
    if (signal.aborted) return;
    onEnd();
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
