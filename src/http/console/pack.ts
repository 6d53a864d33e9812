// The files of a page as they are kept: one buffer with an index in front, each file compressed beforehand.

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** Where a file lies, in bytes behind the index. */
interface PackedFile {
  readonly name: string;
  readonly type: string;
  readonly br: readonly [offset: number, length: number];
  readonly gzip: readonly [offset: number, length: number];
}

interface PackIndex {
  /** What the page loads first. */
  readonly script: string;
  readonly style: string;
  readonly files: readonly PackedFile[];
}

export interface Pack {
  readonly script: string;
  readonly style: string;
  file(name: string): { readonly type: string; content(coding: Coding): Buffer | Promise<Buffer> } | undefined;
}

export type Coding = 'br' | 'gzip' | 'identity';

/** The length of the index stands in the first four bytes. */
export function openPack(bytes: Buffer): Pack {
  const start = 4 + bytes.readUInt32BE(0);
  const { script, style, files }: PackIndex = JSON.parse(bytes.toString('utf8', 4, start));
  const byName = new Map(files.map((each) => [each.name, each]));
  const slice = ([offset, length]: readonly [number, number]): Buffer => bytes.subarray(start + offset, start + offset + length);
  return {
    script,
    style,
    file(name) {
      const found = byName.get(name);
      if (found === undefined) return undefined;
      const { type, br, gzip } = found;
      return {
        type,
        // Hardly anybody asks for it plain, so it is not kept.
        content: (coding) => (coding === 'identity' ? promisify(gunzip)(slice(gzip)) : slice(coding === 'br' ? br : gzip)),
      };
    },
  };
}
