// Stores as people name them on the command line: a file, an address, or the store of a configuration.

import { resolve } from 'node:path';
import type { StoreSettings } from '../../store/open.ts';
import { StartRefused } from '../../store/store.ts';
import { load } from '../load.ts';
import { report } from '../report.ts';
import type { Terminal } from '../terminal.ts';

/** Where a store is, without what signs in to it. */
export function placeOf(settings: StoreSettings): string {
  return settings.type === 'sqlite' ? `sqlite:${settings.file}` : `postgres://${settings.host}:${settings.port}/${settings.dbname}`;
}

export async function storeAt(given: string, path: string, terminal: Terminal): Promise<StoreSettings> {
  const [, scheme, rest = ''] = /^(sqlite|postgres|postgresql|config):(.+)$/.exec(given) ?? [];
  switch (scheme) {
    case 'sqlite':
      return { type: 'sqlite', file: resolve(terminal.folder, rest) };
    case 'postgres':
    case 'postgresql':
      return postgresAt(rest.startsWith('//') ? given : rest);
    case 'config': {
      const { settings, diagnostics, sources } = await load({ path, config: rest, keepsStoreId: true }, terminal);
      if (!diagnostics.some((each) => each.severity === 'error')) return settings.store;
      throw new StartRefused(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
    }
    default:
      throw new StartRefused('A store is named as sqlite:<file>, postgres://<user>:<password>@<host>:<port>/<database>, or config:<file>.');
  }
}

/** The address is not repeated when it is wrong: it may hold a password. */
function postgresAt(address: string): StoreSettings {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol)) throw unreadable();
  const ssl = sslModes.get(url.searchParams.get('sslmode') ?? 'disable');
  // Another word would leave the password and the data in the open, unnoticed.
  if (ssl === undefined) throw new StartRefused(`sslmode is one of ${[...sslModes.keys()].join(', ')}.`);
  return {
    type: 'postgres',
    host: url.hostname.replace(/^\[|\]$/g, '') || 'localhost',
    port: url.port === '' ? 5432 : Number(url.port),
    username: decoded(url.username) || 'postgres',
    password: decoded(url.password) || 'postgres',
    dbname: decoded(url.pathname.slice(1)) || 'postgres',
    pool: 4,
    prepare: true,
    statementTimeout: 0,
    lockTimeout: 10,
    listen: false,
    ssl,
    ca: undefined,
  };
}

const sslModes: ReadonlyMap<string, 'off' | 'require' | 'verify'> = new Map([
  ['disable', 'off'],
  ['require', 'require'],
  ['verify-ca', 'verify'],
  ['verify-full', 'verify'],
]);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (thrown) {
    throw unreadable(thrown);
  }
}

function unreadable(cause?: unknown): StartRefused {
  const message = 'The address of the PostgreSQL store cannot be read: postgres://<user>:<password>@<host>:<port>/<database>.';
  return new StartRefused(message, cause);
}
