// One connection to the server: what it is opened with, and one exchange after the other.

import { readFile } from 'node:fs/promises';
import type { Client } from 'pg';
import { error } from '../../errors.ts';
import type { Executor, ExecutorRow } from '../sql/executor.ts';
import { StartRefused } from '../store.ts';
import { codeOf, isLost, readOnly } from './errors.ts';
import { type Command, Exchange, type ExchangeResult, PreparedNames } from './exchange.ts';

export interface PostgresSettings {
  readonly type: 'postgres';
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly dbname: string;
  /** The most connections that are open at once. */
  readonly pool: number;
  /** Whether statements are kept prepared under names; not where a proxy gives every transaction another connection. */
  readonly prepare: boolean;
  /** Seconds until a statement is cut; 0: never, and the server is not told. */
  readonly statementTimeout: number;
  /** Seconds until a statement that waits for another transaction is cut; 0: never, and the server is not told. */
  readonly lockTimeout: number;
  /** `require` encrypts, `verify` also makes sure that it is the server. */
  readonly ssl: 'off' | 'require' | 'verify';
  /** Whether a connection listens for what other processes do; where not, they are asked about every few seconds. */
  readonly listen: boolean;
  /** PEM file of the authority that signed the server's certificate. */
  readonly ca: string | undefined;
  /** Bytes that one request may hold at once; 16 MiB where it is absent. */
  readonly memory?: number;
}

/** Bytes of the statements that stay prepared on a connection: a server keeps each of them in memory. */
const mostPrepared = 64 * 1024 * 1024;
const second = 1000;
const connectTimeout = 5 * second;
/** A transaction in which nothing happens for so long holds locks for nobody. */
const idleInTransaction = 30 * second;
/** What the server cuts by itself gets so much longer to be told. */
const slack = 4;

export class PostgresSession {
  readonly #client: Client;
  readonly #names = new PreparedNames(mostPrepared);
  #exchange: Exchange | undefined;
  #last: Promise<unknown> | undefined;
  #lost = false;
  #isSilent = false;
  /** Whether the server at its other end takes no writes, or does not answer: those that were opened with it lead there as well. */
  leadsAstray = false;
  /** Whether it is not to be lent any more. */
  isStale = false;
  /** Seconds since it began to do what it does, or to do nothing. */
  age = 0;

  constructor(client: Client) {
    this.#client = client;
    client.on('error', () => {
      this.#lost = true;
    });
    client.on('end', () => {
      this.#lost = true;
    });
    client.connection.on('parseComplete', () => this.#exchange?.handleParseComplete());
  }

  get isLost(): boolean {
    return this.#lost;
  }

  get isBusy(): boolean {
    return this.#exchange !== undefined;
  }

  /** What the last command gives; they are sent together, and the first failure ends them. */
  run(commands: readonly Command[]): Promise<ExchangeResult> {
    if (this.#exchange !== undefined && this.#last !== undefined) return this.#last.then(() => this.run(commands));
    this.age = 0;
    const answer = new Promise<ExchangeResult>((resolve, reject) => {
      this.#exchange = new Exchange(commands, this.#names, (thrown, given) => {
        this.#exchange = undefined;
        if (thrown === undefined) return resolve(given);
        if (isLost(thrown)) this.#lose(thrown);
        reject(this.#isSilent ? error('store-failed', { retryAfter: 1 }, thrown) : thrown);
      });
      this.#client.query(this.#exchange);
    });
    this.#last = answer.then(ignore, ignore);
    return answer;
  }

  /** What is told on the channels that this connection listens to. */
  onNotification(heard: (told: string) => void): void {
    this.#client.on('notification', ({ payload }) => heard(payload ?? ''));
  }

  /** For statements that are no shapes. */
  executor(): Executor {
    return {
      run: async (sql, parameters = []) => (await this.#client.query({ text: sql, values: [...parameters] })).rowCount ?? 0,
      rows: async (sql, parameters = []) =>
        (await this.#client.query<ExecutorRow>({ text: sql, values: [...parameters], types: executorTypes })).rows,
    };
  }

  /** Nobody else is to be told the same by it. */
  #lose(thrown: unknown): void {
    this.leadsAstray ||= codeOf(thrown) === readOnly;
    this.destroy();
  }

  /** It does not answer, and others to the same end will not either: nothing is asked again there. */
  giveUp(): void {
    this.#isSilent = true;
    this.leadsAstray = true;
    this.destroy();
  }

  end(): Promise<void> {
    this.#lost = true;
    return this.#client.end();
  }

  /** At once, whatever is under way. */
  destroy(): void {
    this.#lost = true;
    this.#client.connection.stream.destroy();
  }
}

/**
 * Opens a connection, which the server knows by a name. Everything is said here: what is left out, the driver would take from the
 * environment.
 */
export async function connectPostgres(settings: PostgresSettings, name = 'platform'): Promise<PostgresSession> {
  // On first use, so that a start on the embedded store does not pay for it.
  const { default: pg } = await import('pg');
  const { host, port, username, password, dbname, statementTimeout, lockTimeout, ca } = settings;
  const client = new pg.Client({
    host,
    port,
    user: username,
    // A function, because an empty text would be taken from the environment.
    password: () => password,
    database: dbname,
    ssl:
      settings.ssl === 'off'
        ? false
        : { rejectUnauthorized: settings.ssl === 'verify', ...(ca === undefined ? {} : { ca: await authority(ca) }) },
    sslnegotiation: 'postgres',
    client_encoding: 'utf8',
    // The driver would take options that are absent or empty from the environment.
    ...(process.env['PGOPTIONS'] === undefined ? {} : { options: '-c client_encoding=utf8' }),
    application_name: name,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10 * second,
    statement_timeout: statementTimeout * second,
    lock_timeout: lockTimeout * second,
    idle_in_transaction_session_timeout: statementTimeout === 0 ? 0 : idleInTransaction,
  });
  const session = new PostgresSession(client);
  await client.connect();
  await client.query(withoutCompiling);
  return session;
}

/**
 * Statements here are short, and the conditions of access rules look costly to the planner: compiling them took seconds where running them takes
 * milliseconds. Servers that cannot compile have no such setting.
 */
const withoutCompiling = `SELECT set_config('jit', 'off', false) FROM pg_settings WHERE name = 'jit'`;

/** After how many seconds a connection that does not answer is given up; nothing where statements may take as long as they want. */
export function patienceOf({ statementTimeout }: PostgresSettings): number | undefined {
  return statementTimeout === 0 ? undefined : statementTimeout + slack;
}

async function authority(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (thrown) {
    throw new StartRefused(`The file ${file} cannot be read; see store.ca.`, thrown);
  }
}

function ignore(): void {}

/** Of the types that the server numbers: whole numbers and truth values; everything else stays the text it is. */
const executorTypes = {
  getTypeParser: (type: number) => (text: string) => {
    if (type === 16) return text === 't';
    if (type !== 20 && type !== 21 && type !== 23) return text;
    return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
  },
};
