// A service with the rows that guards are tried on, asked as one of the callers; and the two surfaces by which it is asked.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { Recorder } from '../../src/engine/seams.ts';
import { createLog } from '../../src/http/server/log.ts';
import { type Answer, open, type Served } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { exchangeable, type GuardCase } from './guarded-guards.ts';
import { loadsOf, project } from './guarded-model.ts';
import { type CallerName, entities, links, type Rows } from './guarded-rows.ts';

export interface Request {
  readonly method: string;
  readonly target: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Asker = CallerName | 'system';
export type Ask = (request: Request, as?: Asker) => Promise<Answer>;

export interface World {
  readonly served: Served;
  use(guard: GuardCase): void;
  /** As a caller, unless another one is named for a request. */
  as(caller: Asker): Ask;
  /** Everything that is stored, by type. */
  stored(): Promise<Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>>;
  /** How many denials the recorder has been told of. */
  denials(): number;
  /** All that was logged, at every level. */
  logged(): string;
  /** The same service, asked over a socket, where a line of the log is written for each request. */
  overSocket(): Promise<World>;
  close(): Promise<void>;
}

export async function openWorld(rows: Rows): Promise<World> {
  const guard = exchangeable();
  let denials = 0;
  const recorder: Recorder = {
    records: () => false,
    changed: () => {},
    denied: () => {
      denials += 1;
    },
    failed: () => {},
  };
  const folder = temporaryFolder();
  const logFile = join(folder, 'log');
  const log = await createLog({ level: 'debug', pretty: false, destination: logFile });
  const served = await open(project, {
    surfaces: ['current', 'earlier'],
    log,
    parts: {
      guard,
      recorder,
      clock: testClock(),
      authenticate: ({ headers }) => {
        const user = String(headers['x-user']);
        if (user === 'system' || user === 'anonymous') return { kind: user };
        return { kind: 'user', id: 'an-id', email: user, roles: ['staff'], token: undefined };
      },
    },
  });
  const asking =
    (send: Served['ask']) =>
    (caller: Asker): Ask =>
    ({ method, target, body, headers = {} }, other = caller) => {
      const typed = body === undefined ? {} : { 'content-type': 'application/json' };
      const text = body === undefined ? {} : { text: JSON.stringify(body) };
      return send({ method, target, headers: { ...typed, ...headers, 'x-user': other }, ...text });
    };
  const as = asking(served.ask);
  const ask = as('system');
  for (const { target, body } of loadsOf(rows)) {
    const { status, text } = await ask({ method: 'POST', target, body });
    if (status >= 300) throw new Error(`${target}: ${text}`);
  }
  const world: World = {
    served,
    use: guard.use,
    as,
    async stored() {
      const found = [];
      for (const type of [...entities, ...links]) found.push([type, (await ask({ method: 'GET', target: `/m/${type}` })).body] as const);
      return Object.fromEntries(found.map(([type, body]) => [type, [body].flat().map((each) => Object(each))]));
    },
    denials: () => denials,
    logged() {
      log.flush();
      const seen = inspect([served.failures, served.warnings, served.lines], { depth: 8, maxArrayLength: null, maxStringLength: null });
      return seen + readFileSync(logFile, 'utf8');
    },
    async overSocket() {
      const [address = ''] = await served.app.listen();
      return { ...world, as: asking((request) => askAt(address, request)) };
    },
    async close() {
      await served.close();
      log.flush();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

/** Headers that belong to the connection, or differ with the time. */
const ofTransport: ReadonlySet<string> = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding', 'x-request-id']);

async function askAt(address: string, { method, target, headers = {}, text }: Parameters<Served['ask']>[0]): Promise<Answer> {
  const answer = await fetch(`${address}${target}`, { method, headers, ...(text === undefined ? {} : { body: String(text) }) });
  const told = [...answer.headers].filter(([name]) => !ofTransport.has(name));
  return { status: answer.status, headers: Object.fromEntries(told), text: await answer.text(), body: undefined };
}

/** Instances below one another, as both surfaces write them in their own way. */
export interface Tree {
  readonly type: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly related?: Readonly<Record<string, readonly Tree[]>>;
}

export interface Surface {
  readonly name: 'current' | 'earlier';
  at(place: string): string;
  body(tree: Tree): unknown;
  tree(place: string): string;
}

export const surfaces: readonly Surface[] = [
  { name: 'current', at: (place) => `/m/${place}`, body: flatBody, tree: (place) => `/m/${place}?@tree=true` },
  { name: 'earlier', at: (place) => `/api/m/${place}`, body: keyedBody, tree: (place) => `/api/m/${place}/__tree` },
];

function flatBody({ attributes, related = {} }: Tree): unknown {
  return { ...attributes, ...Object.fromEntries(Object.entries(related).map(([name, trees]) => [name, trees.map(flatBody)])) };
}

function keyedBody({ type, attributes, related = {} }: Tree): unknown {
  const below = Object.entries(related).map(([name, trees]) => [`m/${name}`, trees.map(keyedBody)]);
  return { [`m/${type}`]: attributes, ...Object.fromEntries(below) };
}

/** The ways to post an event, of the module m where nothing else is said: at its path, and on the earlier surface in the body of `/dynamic` too. */
export function eventRequests(surface: Surface, name: string, attributes: Readonly<Record<string, unknown>> = {}): readonly Request[] {
  const post = (target: string, body: unknown): Request => ({ method: 'POST', target, body });
  const full = name.includes('/') ? name : `m/${name}`;
  if (surface.name === 'current') return [post(`/${full}`, attributes)];
  const keyed = { [full]: attributes };
  return [post(`/api/${full}`, keyed), post('/dynamic', keyed)];
}

/** Everything of an answer that a caller can tell apart; versions and generated identifiers only by whether there is one. */
export function seenOf({ status, headers, text }: Answer): string {
  const told = Object.entries(headers)
    .filter(([name]) => name !== 'content-length')
    .map(([name, value]) => `${name}: ${name === 'etag' || name === 'link' ? 'there is one' : value}`);
  return [status, ...told.sort(), text].join('\n').replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid');
}
