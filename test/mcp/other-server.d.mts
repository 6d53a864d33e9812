import type { Server } from 'node:http';

export function serveTools(
  asked?: string[],
  port?: number,
): Promise<{ readonly url: string; readonly asked: string[]; readonly http: Server }>;
export function serveSessions(): Promise<{ readonly url: string; readonly sessions: Map<string, unknown>; close(): void }>;
