// Callers that write as fast as they can, and remember exactly what they were told is kept.

import { Agent, request } from 'node:http';
import { pause } from '../support/time.ts';

export interface Writers {
  /** What was answered with 2xx, by identifier. */
  readonly acknowledged: Map<string, string>;
  /** Answers that were neither 2xx nor cut connections. */
  readonly refused: number[];
  stop(): Promise<void>;
}

/** Each writes parents with children, so that half of a write can be told from a whole one. */
export function startWriters(port: number, count: number, prefix: string): Writers {
  const agent = new Agent({ keepAlive: true, maxSockets: count });
  const acknowledged = new Map<string, string>();
  const refused: number[] = [];
  const state = { running: true };
  const writer = async (name: string): Promise<void> => {
    for (let number = 0; state.running; number += 1) {
      const id = `${prefix}-${name}-${number}`;
      const text = `text of ${id}`;
      const body = { id, text, NoteLine: [{ no: 1 }, { no: 2 }] };
      const status = await post(agent, port, '/notes/Note', body);
      if (status === 201) acknowledged.set(id, text);
      else if (status !== undefined) refused.push(status);
      else if (state.running) await pause(5);
    }
  };
  const all = Promise.all(Array.from({ length: count }, (_, index) => writer(String(index))));
  return {
    acknowledged,
    refused,
    async stop() {
      state.running = false;
      await all;
      agent.destroy();
    },
  };
}

export const notes = `module notes

entity Note {
  id String @id,
  text String
}

entity Line {
  no Int @id
}

relationship NoteLine contains(Note, Line)
`;

/** The status, or nothing when the connection was cut before there was one. */
function post(agent: Agent, port: number, path: string, body: object): Promise<number | undefined> {
  return new Promise((resolve) => {
    const payload = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
    const call = request({ host: '127.0.0.1', port, path, method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
      response.on('error', () => resolve(undefined));
    });
    call.on('error', () => resolve(undefined));
    call.end(payload);
  });
}
