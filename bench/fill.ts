// Fills a server with its notes over HTTP, and learns the identifiers it gave them.

import { fillRequests, noteCount } from './cases.ts';
import type { Generator } from './generator.ts';
import type { Loaded } from './measure.ts';
import type { RunningServer } from './servers.ts';

const connections = 64;
/** Of all notes every tenth is read and commented on. */
const stride = 10;

export async function fill(server: RunningServer, generator: Generator): Promise<Loaded> {
  await generator.run({ port: server.port, connections, requests: fillRequests(), status: 201 });
  const notes: unknown = JSON.parse(await server.answer(`/bench/Note?@limit=${noteCount}`));
  const ids = Array.isArray(notes) ? notes.map(idOf) : [];
  if (ids.length !== noteCount) throw new Error(`${server.name} holds ${ids.length} notes where ${noteCount} were created`);
  return { server, ids: ids.filter((_, index) => index % stride === 0) };
}

function idOf(note: unknown): string {
  return typeof note === 'object' && note !== null && 'id' in note ? String(note.id) : '';
}
