// The command on the store of an application under test, in a project folder of its own.

import { onTestFinished } from 'vitest';
import { command, type Outcome, workspace } from '../cli/harness.ts';
import type { Served } from '../support/app.ts';

export interface Commanded {
  readonly folder: string;
  run(...words: readonly string[]): Promise<Outcome>;
}

export function commandedAt(source: string, { kept: { settings } }: Pick<Served, 'kept'>): Commanded {
  const store =
    settings.type === 'sqlite'
      ? { type: 'sqlite', dbname: settings.file }
      : {
          type: 'postgres',
          ...{ host: settings.host, port: settings.port, dbname: settings.dbname },
          ...{ username: settings.username, password: settings.password },
        };
  const { folder, remove } = workspace({
    'src/core.al': source,
    'package.json': '{"name": "app", "version": "1.0.0"}',
    'config.al': JSON.stringify({ rbac: { enabled: true }, store }),
  });
  onTestFinished(remove);
  return { folder, run: (...words) => command(folder, ...words) };
}
