// The two files outside the store: the key, and the anchor, which knows how far the trail had got. Only the user of the service may read them.

import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../folders.ts';
import { StartRefused } from '../store/store.ts';

/** The last block that is known to have been sealed; none yet has the number 0. */
export interface Anchor {
  readonly block: number;
  readonly signature: string;
}

const keyBytes = 32;
const isPrivate = 0o600;

/** The one in use, and behind it those that it has replaced. */
export type Keys = readonly [Buffer, ...Buffer[]];

/** Nothing where there is no such file. */
export function readKeys(file: string): Keys | undefined {
  const lines = readPrivate(file, 'the key of the audit trail')?.trim().split('\n');
  if (lines === undefined) return undefined;
  const [first, ...others] = lines.map((line) => {
    if (!/^[0-9a-f]{64}$/.test(line))
      throw new StartRefused(`${file} is no key of an audit trail: it holds lines of 64 hexadecimal digits.`);
    return Buffer.from(line, 'hex');
  });
  return first === undefined ? undefined : [first, ...others];
}

/** New ones, or those that another process has made meanwhile. */
export function makeKeys(file: string): Keys {
  makeFolder(dirname(file));
  try {
    // Has its name when it is whole, and never takes the place of another one.
    writeKeys(file, [randomBytes(keyBytes)], linkSync);
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw new StartRefused(`The key of the audit trail cannot be made: ${messageOf(thrown)}`);
  }
  const made = readKeys(file);
  if (made === undefined) throw new StartRefused(`The key of the audit trail was removed while it was made: ${file}`);
  return made;
}

/** A new one in front of those that there are. */
export function addKey(file: string, keys: Keys): Keys {
  const all: Keys = [randomBytes(keyBytes), ...keys];
  writeKeys(file, all, renameSync);
  return all;
}

function writeKeys(file: string, keys: Keys, put: (from: string, to: string) => void): void {
  const partial = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(partial, keys.map((key) => `${key.toString('hex')}\n`).join(''), { mode: isPrivate, flag: 'wx', flush: true });
    put(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Nothing where there is no such file. */
export function readAnchor(file: string): Anchor | undefined {
  const text = readPrivate(file, 'the anchor of the audit trail');
  if (text === undefined) return undefined;
  const [, block, signature] = /^(0|[1-9]\d{0,14}) ([\w-]{43}|)\n$/.exec(text) ?? [];
  if (block === undefined || signature === undefined)
    throw new StartRefused(`${file} is no anchor of an audit trail: it holds the number of a block and its signature.`);
  return { block: Number(block), signature };
}

/** On the disk, and whole, when it resolves. */
export async function writeAnchor(file: string, { block, signature }: Anchor): Promise<void> {
  const partial = `${file}.${process.pid}`;
  const handle = await open(partial, 'w', isPrivate);
  try {
    await handle.writeFile(`${block} ${signature}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, file);
}

function readPrivate(file: string, what: string): string | undefined {
  try {
    const { mode } = statSync(file);
    // Windows has no such bits.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) throw new StartRefused(`${what} can be read by others: chmod 600 ${file}`);
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    if (thrown instanceof StartRefused) throw thrown;
    throw new StartRefused(`${what} cannot be read: ${messageOf(thrown)}`);
  }
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
