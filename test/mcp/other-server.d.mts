import type { Server } from 'node:http';

export function serveTools(
  asked?: string[],
  port?: number,
): Promise<{ readonly url: string; readonly asked: string[]; readonly http: Server }>;
