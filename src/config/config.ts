// The settings of the whole service: their type, the one table of keys with defaults, and how the table becomes the type.

import { dirname, resolve } from 'node:path';
import type { AgentSettings } from '../agents/agents.ts';
import type { AuditSettings } from '../audit/audit.ts';
import type { IdentitySettings } from '../identity/identity.ts';
import type { SystemPart } from '../model/system-module.ts';
import type { ResolverSettings } from '../resolvers/resolver.ts';
import type { StoreSettings } from '../store/open.ts';
import type { TimerSettings } from '../timers/timers.ts';
import type { Environment } from './expression.ts';
import { boolean, type ConfigValue, integer, listOf, oneOf, optionalInteger, type Setting, text } from './setting.ts';
import { auditRows, auditSettings } from './settings/audit.ts';
import { identityRows, identitySettings } from './settings/identity.ts';
import { type Limits, limitRows, limitSettings } from './settings/limits.ts';
import { llmRows, llmSettings } from './settings/llm.ts';
import { mcpServersRow } from './settings/mcp.ts';
import { openapiRow } from './settings/openapi.ts';
import { postgresRows, postgresSettings } from './settings/postgres.ts';
import { originOf } from './settings/providers.ts';
import { resolversRow } from './settings/resolvers.ts';
import { retryRow } from './settings/retry.ts';

export interface Settings {
  readonly service: ServiceSettings;
  readonly store: StoreSettings;
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
  /** Absent while authentication is off. */
  readonly auth: IdentitySettings | undefined;
  /** Absent while the audit trail is off. */
  readonly audit: AuditSettings | undefined;
  readonly graphql: boolean;
  readonly mcp: boolean;
  /** What is said of resolvers besides their declarations. */
  readonly resolvers: readonly ResolverSettings[];
  /** What agents use, where a model has some. */
  readonly llm: AgentSettings;
  /** Of what happens by the clock, where a model has timers. */
  readonly timers: TimerSettings;
  /** Parts that are on and keep data of their own: their modules are part of the model. */
  readonly system: readonly SystemPart[];
}

export interface ServiceSettings {
  readonly port: number;
  /** Absent: loopback, both address families. */
  readonly host: string | undefined;
  readonly surfaces: readonly SurfaceName[];
  /** Of the earlier surface: which answers are wrapped. */
  readonly envelope: 'create' | 'all';
  readonly cors: { readonly origins: readonly string[] };
  /** At most `max` requests of one address in `window` seconds; absent: no limit. */
  readonly rateLimit: { readonly max: number; readonly window: number } | undefined;
  readonly trustProxy: boolean;
  /** Absolute paths of PEM files. */
  readonly tls: { readonly key: string; readonly cert: string } | undefined;
  readonly limits: Limits;
  readonly expose: { readonly docs: boolean; readonly openapi: boolean; readonly metrics: boolean; readonly console: boolean };
}

export type { Limits };

export type SurfaceName = (typeof surfaceNames)[number];
export type LogLevel = (typeof logLevels)[number];
export type LogFormat = (typeof logFormats)[number];

const surfaceNames = ['current', 'earlier'] as const;
const surfaceName = (given: string) => surfaceNames.find((each) => each === given);
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const logFormats = ['auto', 'json', 'pretty'] as const;

/** The one table: both readers and docs/settings.md are made from it. */
export const table = {
  port: integer('service.port', { min: 0, max: 65_535 }, { default: 8080, description: 'Port to listen on; 0 takes any free one.' }),
  host: text('service.host', {
    default: undefined,
    description: 'Address to listen on. Without it loopback, IPv4 and IPv6; `0.0.0.0` or `::` opens the service to the network.',
  }),
  surfaces: listOf<SurfaceName>('service.surfaces', 'a list of "current" and "earlier"', surfaceName, {
    default: [],
    description: 'REST forms to serve. Without it the one that the project is written in.',
  }),
  envelope: oneOf('service.envelope', ['create', 'all'], {
    default: 'create',
    description: 'Which answers of the earlier surface are wrapped in the envelope: those to a create, or all of them.',
  }),
  origins: listOf('service.cors.origins', 'a list of origins such as "https://app.example.com", or "*"', originOf, {
    default: [],
    description: 'Origins whose pages may call the service from a browser.',
  }),
  rateMax: optionalInteger(
    'service.rateLimit.max',
    { min: 1, max: 1_000_000_000 },
    {
      default: undefined,
      description: 'Requests that one address may make within the window.',
    },
  ),
  rateWindow: integer(
    'service.rateLimit.window',
    { min: 1, max: 86_400 },
    {
      default: 60,
      description: 'Seconds of the window.',
      requires: 'service.rateLimit.max',
    },
  ),
  trustProxy: boolean('service.trustProxy', {
    default: false,
    description: 'Whether `X-Forwarded-*` headers are believed: only behind a proxy that sets them.',
  }),
  tlsKey: text('service.tls.key', {
    default: undefined,
    description: 'PEM file of the private key, relative to the configuration file.',
    requires: 'service.tls.cert',
  }),
  tlsCert: text('service.tls.cert', {
    default: undefined,
    description: 'PEM file of the certificate, relative to the configuration file.',
    requires: 'service.tls.key',
  }),
  ...limitRows,
  exposeDocs: boolean('service.expose.docs', { default: true, description: 'Whether `/docs` is served.' }),
  exposeOpenapi: boolean('service.expose.openapi', { default: true, description: 'Whether `/openapi.json` is served.' }),
  exposeMetrics: boolean('service.expose.metrics', { default: true, description: 'Whether `/metrics` is served.' }),
  exposeConsole: boolean('service.expose.console', { default: true, description: 'Whether `/console` is served.' }),
  storeType: oneOf('store.type', ['sqlite', 'postgres'], {
    default: 'sqlite',
    description: 'Where the data is kept: `sqlite` is a file beside the project, `postgres` a server.',
  }),
  dbname: text(
    'store.dbname',
    {
      default: undefined,
      description:
        'File of the database, relative to the configuration file. Without a `store` section it is `data/<project>.db`; with a section ' +
        'but without this key it is `data/db-<uuid>.db`, where the uuid is drawn once and kept in `data/.store-id`. ' +
        'With `postgres` the name of the database; without it `postgres`.',
    },
    'the name of a file, or of a database',
    (given) => given !== '' && !given.startsWith(':') && !given.includes('\0'),
  ),
  ...postgresRows,
  logLevel: oneOf('log.level', logLevels, {
    default: 'info',
    description: 'How much is logged; `info` is one line per request, without query values and secrets.',
  }),
  logFormat: oneOf('log.format', logFormats, {
    default: 'auto',
    description:
      'How the log is written: one JSON object per line, readable lines, or (`auto`) readable lines on a terminal and JSON elsewhere.',
  }),
  ...identityRows,
  rbac: boolean('rbac.enabled', {
    earlier: 'rbac-enabled',
    default: false,
    description: 'Access control: who may do what is decided by the rules of the model and by owners. Switches authentication on.',
  }),
  ...auditRows,
  graphql: boolean('graphql.enabled', { default: false, description: 'Whether `/graphql` is served.' }),
  mcp: boolean('mcp.enabled', { default: false, description: 'Whether `/mcp`, the Model Context Protocol, is served.' }),
  mcpServers: mcpServersRow,
  ...llmRows,
  resolvers: resolversRow,
  openapi: openapiRow,
  retry: retryRow,
  timersEnabled: boolean('timers.enabled', {
    default: true,
    description: 'Whether this process runs what timers and schedules are due for. Where it is off, other instances do.',
  }),
  timersZone: text(
    'timers.zone',
    { default: 'UTC', description: 'Time zone of schedules in the form of cron, such as `Europe/Berlin`.' },
    'the name of a time zone, such as Europe/Berlin',
    isZone,
  ),
  timersMost: integer('timers.most', { min: 1, max: 1_000_000 }, { default: 10_000, description: 'Timers that there may be at once.' }),
} as const;

function isZone(given: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The rows in the order of the table. */
export const rows: readonly Setting<unknown>[] = Object.values(table);

/** Where relative paths begin, and what the file of the data is called when nobody says. */
export interface ConfigLocation {
  readonly projectFolder: string;
  readonly projectName: string;
  /** Absent when there is no configuration file. */
  readonly configFile: string | undefined;
  /** In which form the project is written; the current one where nothing is said. */
  readonly surface?: SurfaceName;
  readonly environment?: Environment;
  /** The uuid of a database that the configuration does not name: the same at every start. */
  storeId(): string;
}

/** `given` holds the values of the file by their key in config.al; what is missing or does not fit gets its default. */
export function settingsFrom(given: ReadonlyMap<string, ConfigValue>, place: ConfigLocation): Settings {
  const value = <T>(row: Setting<T>): T => {
    const found = given.get(row.key);
    return (found === undefined ? undefined : row.read(found)?.value) ?? row.default;
  };
  const base = place.configFile === undefined ? place.projectFolder : dirname(place.configFile);
  const [max, key, cert] = [value(table.rateMax), value(table.tlsKey), value(table.tlsCert)];
  const store: StoreSettings =
    value(table.storeType) === 'postgres'
      ? postgresSettings(value, { dbname: value(table.dbname), memory: value(table.memory), base })
      : {
          type: 'sqlite',
          file: databaseFile(given, value(table.dbname), base, place),
          timeout: value(table.timeout),
          memory: value(table.memory),
        };
  return {
    service: {
      port: value(table.port),
      host: value(table.host),
      surfaces: value(table.surfaces).length === 0 ? [place.surface ?? 'current'] : value(table.surfaces),
      envelope: value(table.envelope),
      cors: { origins: value(table.origins) },
      rateLimit: max === undefined ? undefined : { max, window: value(table.rateWindow) },
      trustProxy: value(table.trustProxy),
      tls: key === undefined || cert === undefined ? undefined : { key: resolve(base, key), cert: resolve(base, cert) },
      limits: limitSettings(value),
      expose: {
        docs: value(table.exposeDocs),
        openapi: value(table.exposeOpenapi),
        metrics: value(table.exposeMetrics),
        console: value(table.exposeConsole),
      },
    },
    store,
    log: { level: value(table.logLevel), format: value(table.logFormat) },
    auth: value(table.auth) || value(table.rbac) ? identitySettings(value, place.environment ?? {}) : undefined,
    graphql: value(table.graphql),
    mcp: value(table.mcp),
    audit: value(table.audit) ? auditSettings(value, base, place.projectFolder, store) : undefined,
    resolvers: value(table.resolvers),
    llm: llmSettings(value, place.environment ?? {}, base),
    timers: { enabled: value(table.timersEnabled), zone: value(table.timersZone) ?? 'UTC', most: value(table.timersMost) },
    system: systemParts(value),
  };
}

/** Access control needs to know who asks; what a composing resolver leaves open is kept. */
function systemParts(value: <T>(row: Setting<T>) => T): readonly SystemPart[] {
  const on = {
    auth: value(table.auth) || value(table.rbac),
    rbac: value(table.rbac),
    audit: value(table.audit),
    resolvers: value(table.resolvers).some(({ compose }) => compose === true),
  };
  return (['auth', 'rbac', 'audit', 'resolvers'] as const).filter((part) => on[part]);
}

function databaseFile(given: ReadonlyMap<string, ConfigValue>, dbname: string | undefined, base: string, place: ConfigLocation): string {
  if (dbname !== undefined) return resolve(base, dbname);
  const hasSection = given.has('store') || [...given.keys()].some((key) => key.startsWith('store.'));
  const name = hasSection ? `db-${place.storeId()}` : place.projectName.replace(/^@/, '').replace(/[^\p{L}\p{N}._-]+/gu, '-');
  return resolve(place.projectFolder, 'data', `${name}.db`);
}
