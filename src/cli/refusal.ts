// Failures that an operator can do something about, as one clear line each; everything else is a bug.

import { type ErrorCode, PlatformError } from '../errors.ts';
import { StartRefused } from '../store/store.ts';

/** The line, or nothing when the thrown thing was not expected. */
export function refusal(thrown: unknown): string | undefined {
  if (thrown instanceof StartRefused) return thrown.message;
  if (thrown instanceof PlatformError) return ofStore.has(thrown.code) ? thrown.message : undefined;
  if (!(thrown instanceof Error)) return undefined;
  const { code, port, address, path } = details(thrown);
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is taken; stop what listens there, or choose another with --port`;
    case 'EACCES':
      return port === '' ? `access to ${path} is denied` : `this user may not listen on port ${port}; choose one above 1023 with --port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `this machine has no address ${address}; see --host and service.host`;
    case '':
      return undefined;
    default:
      // Any other failure of the operating system: its own line is clear enough (`ENOSPC: no space left on device, write`).
      return thrown.message;
  }
}

/** What stands in the way of whoever moves data is the disk or the server, and no bug. */
const ofStore: ReadonlySet<ErrorCode> = new Set(['store-full', 'store-busy', 'store-failed']);

function details(thrown: Error): { code: string; port: string; address: string; path: string } {
  const found = new Map<string, unknown>(Object.entries(thrown));
  const text = (key: string) => (found.has(key) ? String(found.get(key)) : '');
  const code = text('code');
  const address = text('address') === '' ? text('hostname') : text('address');
  return { code: /^E[A-Z0-9_]+$/.test(code) && !code.startsWith('ERR_') ? code : '', port: text('port'), address, path: text('path') };
}
