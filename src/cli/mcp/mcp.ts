// `platform mcp`: the Model Context Protocol over standard input and output, for assistants on the same machine; answered by the project, or by a service that runs.

import type { App } from '../../app.ts';
import type { Caller } from '../../engine/caller.ts';
import type { Engine } from '../../engine/engine.ts';
import { callerFrom } from '../../engine/saved-caller.ts';
import { error } from '../../errors.ts';
import { createLog } from '../../http/server/log.ts';
import { StartRefused } from '../../store/store.ts';
import { type Loaded, load, type Ready } from '../load.ts';
import { report } from '../report.ts';
import type { Terminal } from '../terminal.ts';
import { converse, type Send } from './conversation.ts';

export interface McpCommand {
  readonly config?: string;
  /** Who asks. */
  readonly user?: string;
  /** A service that runs. */
  readonly url?: string;
}

export async function mcp(path: string, { config, user, url }: McpCommand, terminal: Terminal): Promise<number> {
  const { input } = terminal;
  const key = terminal.environment['PLATFORM_API_KEY'];
  if (input === undefined)
    throw new StartRefused('an assistant speaks to this command over standard input; a person has nothing to say to it');
  if (user !== undefined && key !== undefined) throw new StartRefused('who asks is either --user or the owner of PLATFORM_API_KEY');
  if (url !== undefined) {
    if (user !== undefined) throw new StartRefused('a service that runs knows who asks by PLATFORM_API_KEY; --user is for a project');
    await converse(input(), terminal.out, sendTo(url, key));
    return 0;
  }
  const loaded = await load({ path, config, keepsStoreId: true }, terminal);
  const ready = usable(loaded, terminal);
  if (ready === undefined) return 1;
  const app = await openApp(ready, user, key);
  try {
    await converse(input(), terminal.out, sendIn(app, key));
  } finally {
    await app.close();
  }
  return 0;
}

function usable(loaded: Loaded, terminal: Terminal): Ready | undefined {
  const { model, diagnostics, sources } = loaded;
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  return model === undefined ? undefined : { ...loaded, model };
}

async function openApp({ model, settings, project }: Ready, user: string | undefined, key: string | undefined): Promise<App> {
  const hasUsers = settings.auth !== undefined;
  if (hasUsers && user === undefined && key === undefined)
    throw new StartRefused('authentication is on: say who asks with --user, or with an API key in PLATFORM_API_KEY');
  if (!hasUsers && user !== undefined) throw new StartRefused('authentication is off: there are no users');
  const { createApp } = await import('../../app.ts');
  const { name, version, folder } = project;
  // Standard output is the assistant's.
  const log = await createLog({ level: 'warn', pretty: false, destination: 2 });
  let engine: Engine | undefined;
  const authenticate = async (): Promise<Caller> => {
    const found = user === undefined || engine === undefined ? undefined : await userNamed(user, engine);
    if (found === undefined) throw error('unauthenticated');
    return found;
  };
  const endpoints = (each: Engine) => {
    engine = each;
    return [];
  };
  const parts = user === undefined ? {} : { authenticate, endpoints };
  const app = await createApp({ model, settings: { ...settings, mcp: true }, name, version, folder, log, parts });
  if (user === undefined || (engine !== undefined && (await userNamed(user, engine)) !== undefined)) return app;
  await app.close();
  throw new StartRefused(`there is no user ${user}`);
}

/** With the roles of this moment. */
function userNamed(email: string, engine: Engine): Promise<Caller | undefined> {
  const text = JSON.stringify({ kind: 'user', email: email.normalize('NFC').toLowerCase() });
  return engine.asSystem(async ({ plan, store }) => store.read((tx) => callerFrom(text, plan, tx)));
}

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function sendIn(app: App, key: string | undefined): Send {
  let count = 0;
  return async (text, signal) => {
    count += 1;
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const { status, body } = await app.respond({
      method: 'POST',
      path: '/mcp',
      query: '',
      headers: { ...headers, ...authorization },
      body: Buffer.from(text),
      id: `mcp-${count}`,
      remote: 'stdio',
      signal,
    });
    return {
      status,
      body: typeof body === 'string' || body === undefined ? pieces(body) : Buffer.isBuffer(body) ? pieces(String(body)) : body,
    };
  };
}

async function* pieces(text = ''): AsyncGenerator<string, void> {
  yield text;
}

function sendTo(url: string, key: string | undefined): Send {
  const address = new URL(url);
  const target = address.pathname === '/' ? new URL('/mcp', address) : address;
  return async (text, signal) => {
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const answer = await fetch(target, { method: 'POST', headers: { ...headers, ...authorization }, body: text, signal });
    return { status: answer.status, body: answer.body === null ? pieces() : decoded(answer.body) };
  };
}

async function* decoded(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  for await (const piece of body) yield decoder.decode(piece, { stream: true });
}
