// How a built application carries data behind its code: named parts in comments, compressed, found by an index at the end of the file.

import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

export interface Part {
  readonly name: string;
  readonly content: Uint8Array;
}

export interface PartEntry {
  readonly name: string;
  /** In bytes, from the beginning of the file. */
  readonly offset: number;
  readonly length: number;
  /** Of the content, in hexadecimal. */
  readonly sha256: string;
}

/** The code with the parts behind it. The same input gives the same text: no time, no path, no chance. */
export function withParts(code: string, parts: readonly Part[]): string {
  const pieces = [code.endsWith('\n') ? code : `${code}\n`];
  let offset = Buffer.byteLength(pieces[0] ?? '');
  const entries = parts.map(({ name, content }): PartEntry => {
    const line = comment(compressed(content));
    const entry = { name, offset: offset + mark.length, length: line.length - mark.length - 1, sha256: digest(content) };
    pieces.push(line);
    offset += line.length;
    return entry;
  });
  const index = comment(Buffer.from(JSON.stringify(entries)));
  const place = [offset + mark.length, index.length - mark.length - 1].map((each) => String(each).padStart(digits, '0'));
  return [...pieces, index, `${mark}${place.join('')}\n`].join('');
}

export function partsOf(file: string): readonly PartEntry[] {
  return withFile(file, (descriptor, size) => {
    const place = read(descriptor, size - 2 * digits - 1, 2 * digits);
    if (!/^\d+$/.test(place)) throw incomplete(file);
    const index = read(descriptor, Number(place.slice(0, digits)), Number(place.slice(digits)));
    return JSON.parse(Buffer.from(index, 'base64').toString());
  });
}

/** The content of a part, or nothing when the file has none of this name. */
export function readPart(file: string, name: string): Buffer | undefined {
  const entry = partsOf(file).find((each) => each.name === name);
  if (entry === undefined) return undefined;
  const text = withFile(file, (descriptor) => read(descriptor, entry.offset, entry.length));
  const content = brotliDecompressSync(Buffer.from(text, 'base64'));
  if (digest(content) !== entry.sha256) throw incomplete(file);
  return content;
}

export function digest(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

// A comment to the end of the line is what an engine skips fastest.
const mark = '//=';
const digits = 12;

function comment(content: Uint8Array): string {
  return `${mark}${Buffer.from(content).toString('base64')}\n`;
}

/** Brotli gives the same bytes on every machine; deflate depends on the processor. */
function compressed(content: Uint8Array): Uint8Array {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  return brotliCompressSync(content, { params: { [BROTLI_PARAM_QUALITY]: 5, [BROTLI_PARAM_SIZE_HINT]: content.length } });
}

function withFile<T>(file: string, work: (descriptor: number, size: number) => T): T {
  const descriptor = openSync(file, 'r');
  try {
    return work(descriptor, fstatSync(descriptor).size);
  } finally {
    closeSync(descriptor);
  }
}

function read(descriptor: number, offset: number, length: number): string {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, buffer, filled, length - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.toString('latin1', 0, filled);
}

function incomplete(file: string): Error {
  return Object.assign(new Error(`the file ${file} is damaged or incomplete; copy it again`), { code: 'EINCOMPLETE' });
}
