// An application from the text of a model, in a folder of its own, asked without a socket.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AgentSettings } from '../../src/agents/agents.ts';
import { type App, type AppParts, createApp } from '../../src/app.ts';
import type { AuditSettings } from '../../src/audit/audit.ts';
import { type Limits, type Settings, settingsFrom } from '../../src/config/config.ts';
import type { HttpResponse } from '../../src/http/exchange.ts';
import type { Log } from '../../src/http/server/log.ts';
import type { IdentitySettings } from '../../src/identity/identity.ts';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { earlierFrontEnd } from '../../src/language/earlier/earlier.ts';
import { link } from '../../src/model/link/link.ts';
import type { Model } from '../../src/model/model.ts';
import type { SystemPart } from '../../src/model/system-module.ts';
import { compile } from '../../src/plan/compile.ts';
import { withConfigured } from '../../src/resolvers/configured.ts';
import type { HashCost } from '../../src/secrets.ts';
import type { Source } from '../../src/source.ts';
import { digestOf } from '../../src/store/migration/state.ts';
import type { PostgresSettings } from '../../src/store/postgres/session.ts';
import { temporaryFolder } from './folder.ts';
import { type Kept, type StoreKind, storeAt, storeIn, storeOfRun } from './store.ts';

/** The text of one source file, or files by name: sources end in `.al` or, of the earlier surface, `.platform`, everything else just lies there. */
export type Project = string | Readonly<Record<string, string>>;

export interface Options {
  readonly limits?: Partial<Limits>;
  readonly surfaces?: Settings['service']['surfaces'];
  /** Which answers of the earlier surface stand in the envelope. */
  readonly envelope?: Settings['service']['envelope'];
  readonly traces?: boolean;
  /** Whether it believes a proxy who it is that asks. */
  readonly trustProxy?: boolean;
  /** Put in the place of what the service has without them: a clock that stands still, a guard. */
  readonly parts?: AppParts;
  /** Gets every line besides, at whatever level. */
  readonly log?: Log;
  /** Parts of the service that are on, and keep data of their own. */
  readonly system?: readonly SystemPart[];
  /** Passwords and secrets are hashed as in production: for tests of just that. */
  readonly hashing?: 'usual';
  /** Authentication is on, with these settings. */
  readonly auth?: Partial<IdentitySettings>;
  /** The audit trail is on, with these settings. */
  readonly audit?: Partial<AuditSettings>;
  /** Origins whose pages may call. */
  readonly origins?: readonly string[];
  readonly graphql?: boolean;
  readonly mcp?: boolean;
  /** What the configuration says of resolvers. */
  readonly resolvers?: Settings['resolvers'];
  /** Of what happens by the clock. */
  readonly timers?: Partial<Settings['timers']>;
  /** What agents use. */
  readonly llm?: Partial<Omit<AgentSettings, 'limits'>> & { readonly limits?: Partial<AgentSettings['limits']> };
  /** An existing folder, which is then left alone; without it, a new one that goes when the test ends. */
  readonly folder?: string;
  /** Where it keeps its data; the store of the run where nothing is said. A database that somebody else makes and removes is said in full. */
  readonly store?: StoreKind | PostgresSettings;
  /** What the files of the project say by now, where they were changed since the start. */
  readonly newest?: () => Project;
  /** Settings of its store, where that is on PostgreSQL. */
  readonly postgres?: Partial<PostgresSettings>;
}

export interface Served {
  readonly app: App;
  readonly folder: string;
  /** A look at what is kept, past the service. */
  readonly kept: Kept;
  /** What was logged as an error: a fault of ours, or of the store. */
  readonly failures: Record<string, unknown>[];
  /** What was logged as a warning: a fault of the model's own logic. */
  readonly warnings: Record<string, unknown>[];
  /** The lines that workflows wrote into the log. */
  readonly lines: string[];
  ask(request: Ask): Promise<Answer>;
  get(target: string, headers?: Headers): Promise<Answer>;
  post(target: string, body: unknown, headers?: Headers): Promise<Answer>;
  put(target: string, body: unknown, headers?: Headers): Promise<Answer>;
  remove(target: string, headers?: Headers): Promise<Answer>;
  reload(project: Project): Promise<void>;
  close(): Promise<void>;
}

type Headers = Readonly<Record<string, string>>;

export interface Ask {
  readonly method: string;
  /** Path and query, as they stand on the wire. */
  readonly target: string;
  readonly headers?: Headers;
  /** Sent as it is. */
  readonly text?: string | Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The text read as JSON; `undefined` when it is empty. */
  readonly body: unknown;
}

/** Serves until the test ends. */
export async function serve(project: Project, options: Options = {}): Promise<Served> {
  const served = await open(project, options);
  onTestFinished(() => served.close());
  return served;
}

/** As `serve`, and the caller closes it. */
export async function open(project: Project, options: Options = {}): Promise<Served> {
  const folder = options.folder ?? (isTextAlone(project) ? folderAgain() : temporaryFolder());
  const failures: Record<string, unknown>[] = [];
  const warnings: Record<string, unknown>[] = [];
  const lines: string[] = [];
  const digest = () => tablesOf(modelIn(project, folder, options));
  const { store: place = storeOfRun() } = options;
  const kept = typeof place === 'object' ? storeAt(place) : await storeIn(folder, place, options.folder !== undefined, digest);
  const state = { isGone: false };
  const remove = async (): Promise<void> => {
    // Closed once more, it is another's by now.
    if (state.isGone) return;
    state.isGone = true;
    await kept.remove();
    if (options.folder !== undefined) return;
    rmSync(folder, { recursive: true, force: true });
    if (isTextAlone(project)) spareFolders.push(folder);
  };
  const store = kept.settings.type === 'postgres' ? { ...kept.settings, ...options.postgres } : kept.settings;
  const app = await start(
    project,
    folder,
    settingsIn(folder, store, options),
    logInto(failures, warnings, lines, options.log),
    options,
  ).catch(async (thrown: unknown) => {
    await remove();
    throw thrown;
  });
  const ask = async ({ method, target, headers = {}, text }: Ask): Promise<Answer> => {
    const mark = target.indexOf('?');
    const [path, query] = mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
    const body = text === undefined || text.length === 0 ? undefined : Buffer.from(text);
    return answerOf(await app.respond({ method, path, query, headers, body, id: 'test', remote: '127.0.0.1' }));
  };
  const send =
    (method: string) =>
    (target: string, body: unknown, headers: Headers = {}) =>
      ask({ method, target, headers: { 'content-type': 'application/json', ...headers }, text: JSON.stringify(body) });
  return {
    app,
    folder,
    kept,
    failures,
    warnings,
    lines,
    ask,
    get: (target, headers = {}) => ask({ method: 'GET', target, headers }),
    post: send('POST'),
    put: send('PUT'),
    remove: (target, headers = {}) => ask({ method: 'DELETE', target, headers }),
    reload: (next) => app.reload(modelIn(next, folder, options)),
    async close() {
      await app.close();
      await remove();
    },
  };
}

async function start(project: Project, folder: string, settings: Settings, log: Log, options: Options): Promise<App> {
  const { traces = false } = options;
  const parts = { ...(options.hashing === 'usual' ? {} : { hashCost: leastCost }), ...options.parts };
  return createApp({
    model: modelIn(project, folder, options),
    settings,
    name: 'test',
    version: '1.2.3',
    folder,
    log,
    traces,
    parts,
    project: {
      sources: () => sourcesIn(project, folder),
      packages: () => [],
      diagnostics: () => [],
      newest: async () => modelIn(options.newest?.() ?? project, folder, options),
    },
  });
}

/** What argon2 takes at least. */
const leastCost: HashCost = { memoryCost: 8, timeCost: 1, parallelism: 1 };

function systemOf({ system = [], auth, audit }: Options): readonly SystemPart[] {
  const parts = new Set<SystemPart>([
    ...(auth === undefined ? [] : (['auth'] as const)),
    ...system,
    ...(audit ? (['audit'] as const) : []),
  ]);
  return [...parts];
}

/** With the resolvers that its configuration declares. */
function modelIn(project: Project, folder: string, options: Options): Model {
  return withConfigured(modelOf(project, folder, systemOf(options)), options.resolvers ?? []);
}

const digests = new WeakMap<Model, string>();

/** The digest of the tables of a model. */
function tablesOf(model: Model): string {
  const digest = digests.get(model) ?? digestOf(compile(model).tables);
  digests.set(model, digest);
  return digest;
}

/** Where applications were that are closed. */
const spareFolders: string[] = [];

/** An empty folder, by a name that may have been used: a model says where its text lies, and one that lies there again need not be read again. */
function folderAgain(): string {
  const folder = spareFolders.pop();
  if (folder === undefined) return temporaryFolder();
  mkdirSync(folder);
  return folder;
}

/** Functions of an application keep what they know by the place of their file: with some, no place is used twice. */
function isTextAlone(project: Project): boolean {
  return typeof project === 'string' || Object.keys(project).every(isSource);
}

/** The models read last, by their text, place and system parts: most tests of a file serve the same one. */
const models = new Map<string, Model>();
const mostModels = 16;

/** The model of a text that has no faults. */
export function modelOf(project: Project, folder = temporaryFolderName, system: readonly SystemPart[] = []): Model {
  if (!isTextAlone(project)) return read(project, folder, system);
  const key = JSON.stringify([project, folder, system]);
  const model = models.get(key) ?? read(project, folder, system);
  models.delete(key);
  models.set(key, model);
  for (const oldest of [...models.keys()].slice(0, -mostModels)) models.delete(oldest);
  return model;
}

function read(project: Project, folder: string, system: readonly SystemPart[]): Model {
  const files = typeof project === 'string' ? { 'core.al': project } : project;
  const sources = sourcesIn(project, folder);
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, 'src', name);
    if (!isSource(name)) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
  const units = sources.map((source) => (source.file.endsWith('.platform') ? earlierFrontEnd : currentFrontEnd).read(source));
  const linked = link(
    units.map((each) => each.unit),
    system,
  );
  const diagnostics = [...units.flatMap((each) => each.diagnostics), ...linked.diagnostics];
  if (linked.model === undefined) throw new Error(diagnostics.map((each) => each.message).join('\n'));
  return linked.model;
}

function sourcesIn(project: Project, folder: string): readonly Source[] {
  const files = typeof project === 'string' ? { 'core.al': project } : project;
  return Object.entries(files).flatMap(([name, text]) => (isSource(name) ? [{ file: join(folder, 'src', name), text }] : []));
}

function isSource(name: string): boolean {
  return name.endsWith('.al') || name.endsWith('.platform');
}

/** For models that lie in no folder. */
const temporaryFolderName = '/model';

function settingsIn(folder: string, store: Settings['store'], options: Options): Settings {
  const {
    limits = {},
    surfaces,
    trustProxy = false,
    auth,
    audit,
    graphql = false,
    mcp = false,
    resolvers = [],
    llm: agents = {},
  } = options;
  const place = { projectFolder: folder, projectName: 'test', configFile: undefined, storeId: () => 'test' };
  const { service, log, system, llm, timers } = settingsFrom(new Map(), place);
  const served = {
    ...service,
    port: 0,
    trustProxy,
    limits: { ...service.limits, ...patient(service.limits), ...limits },
    surfaces: surfaces ?? service.surfaces,
    envelope: options.envelope ?? service.envelope,
    cors: { origins: options.origins ?? service.cors.origins },
  };
  const files = { key: join(folder, 'audit-key'), anchor: join(folder, 'audit-anchor'), keep: undefined };
  return {
    service: served,
    store,
    log,
    system,
    graphql,
    mcp,
    llm: { ...llm, ...agents, limits: { ...llm.limits, ...agents.limits } },
    audit: audit === undefined ? undefined : { ...files, ...audit },
    auth: auth === undefined ? undefined : { ...withoutMail, ...auth },
    resolvers,
    timers: { ...timers, ...options.timers },
  };
}

const withoutMail: IdentitySettings = {
  confirm: undefined,
  signup: true,
  url: undefined,
  mail: undefined,
  superuser: undefined,
  strict: false,
  providers: [],
  redirects: [],
  hosted: undefined,
};

/** What takes long on a busy machine is no failure: only what is tested has a time. */
function patient({ flow }: Limits): Pick<Limits, 'flow' | 'function' | 'timeout'> {
  return { flow: { ...flow, time: 600 }, function: 60_000, timeout: 600 };
}

export async function answerOf({ status, headers, body, bytes }: HttpResponse): Promise<Answer> {
  for await (const _ of bytes ?? []);
  const text = await textOf(body);
  const isJson = headers['content-type']?.includes('json') === true;
  return { status, headers, text, body: text === '' || !isJson ? undefined : JSON.parse(text) };
}

async function textOf(body: HttpResponse['body']): Promise<string> {
  if (body === undefined) return '';
  if (typeof body === 'string') return body;
  if (Buffer.isBuffer(body)) return body.toString();
  const pieces: string[] = [];
  for await (const piece of body) pieces.push(piece);
  return pieces.join('');
}

function logInto(failures: Record<string, unknown>[], warnings: Record<string, unknown>[], lines: string[], also?: Log): Log {
  return {
    debug: (fields, message) => also?.debug(fields, message),
    info: (fields, message) => {
      lines.push(message);
      also?.info(fields, message);
    },
    warn: (fields, message) => {
      warnings.push({ ...fields, message });
      also?.warn(fields, message);
    },
    error: (fields, message) => {
      failures.push({ ...fields, message });
      also?.error(fields, message);
    },
    isLevelEnabled: (level) => also?.isLevelEnabled(level) === true,
  };
}
