// A project folder as its author wrote it, read with its configuration and served without a socket.

import picocolors from 'picocolors';
import { onTestFinished } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { load } from '../../src/cli/load.ts';
import type { Log } from '../../src/http/server/log.ts';
import { workspace } from '../cli/harness.ts';
import { type Answer, answerOf } from './app.ts';

export interface ServedProject {
  readonly app: App;
  readonly folder: string;
  /** Diagnostics that are no errors. */
  readonly told: readonly string[];
  /** What was logged as a warning or as an error. */
  readonly logged: Record<string, unknown>[];
  ask(request: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

export async function serveProject(
  files: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
  options: { readonly asksServers?: boolean } = {},
): Promise<ServedProject> {
  const place = workspace(files);
  onTestFinished(() => place.remove());
  const nothing = () => {};
  const terminal = {
    out: nothing,
    err: nothing,
    isTerminal: false,
    colours: picocolors.createColors(false),
    folder: place.folder,
    environment,
  };
  const { model, settings, project, diagnostics } = await load({ path: '.', config: undefined, keepsStoreId: true, ...options }, terminal);
  if (model === undefined) throw new Error(diagnostics.map((each) => `${each.file}:${each.line} ${each.message}`).join('\n'));
  const logged: Record<string, unknown>[] = [];
  const keep = (fields: object, message: string): void => void logged.push({ ...fields, message });
  const log: Log = { debug: nothing, info: nothing, warn: keep, error: keep, isLevelEnabled: () => false };
  const app = await createApp({ model, settings, name: project.name, version: project.version, folder: place.folder, log });
  onTestFinished(() => app.close());
  return {
    app,
    folder: place.folder,
    told: diagnostics.map((each) => each.message),
    logged,
    async ask(request, body, headers = {}) {
      const [method = '', target = ''] = request.split(' ');
      const [path = '', query = ''] = target.split(/\?(.*)/s);
      const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
      const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
      return answerOf(
        await app.respond({ method, path, query, headers: { ...type, ...headers }, body: bytes, id: 'test', remote: '127.0.0.1' }),
      );
    },
  };
}
