// Reads the OpenAPI documents that a configuration names: files beside it, or what an address answers.

import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Outgoing, type OutgoingOptions } from '../outgoing.ts';

/** A document as it was read; they travel inside of a built application. */
export interface OpenapiDocument {
  /** Of its module. */
  readonly name: string;
  readonly spec: string;
  readonly text: string;
}

/** Why a document cannot be read, in words. */
export class DocumentUnreadable extends Error {}

const mostBytes = 16 * 1024 * 1024;
/** Milliseconds. */
const longest = 10_000;
const mostRedirects = 5;

export function isAddress(spec: string): boolean {
  return /^https?:\/\//i.test(spec);
}

/** Throws a `DocumentUnreadable`. */
export async function readDocument(spec: string, folder: string, options: OutgoingOptions = {}): Promise<string> {
  if (!isAddress(spec)) return readText(resolve(folder, spec));
  const url = new URL(spec);
  const outgoing = new Outgoing(url, options);
  try {
    return await fetched(url, outgoing);
  } finally {
    outgoing.close();
  }
}

function readText(file: string): string {
  let size: number;
  try {
    size = statSync(file).size;
    if (size <= mostBytes) return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new DocumentUnreadable(`cannot be read (${codeOf(thrown)})`);
  }
  throw new DocumentUnreadable(`has ${size} bytes; at most ${mostBytes} are read`);
}

/** On the host that is written down, and no other. */
async function fetched(first: URL, outgoing: Outgoing): Promise<string> {
  const signal = AbortSignal.timeout(longest);
  let url = first;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const answer = await outgoing
      .fetch(url, { signal, headers: { accept: 'application/json, application/yaml, */*' } })
      .catch((thrown: unknown) => {
        throw new DocumentUnreadable(`cannot be reached (${codeOf(thrown)})`);
      });
    const location = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null;
    if (location === null && answer.ok) return bounded(answer);
    await answer.body?.cancel();
    if (location === null) throw new DocumentUnreadable(`cannot be read (it is answered ${answer.status})`);
    url = new URL(location, url);
    if (url.hostname !== first.hostname) throw new DocumentUnreadable(`cannot be read (it leads to another host, ${url.hostname})`);
    if (first.protocol === 'https:' && url.protocol !== 'https:')
      throw new DocumentUnreadable('cannot be read (it leads to a place without encryption)');
  }
  throw new DocumentUnreadable('cannot be read (it leads from place to place)');
}

async function bounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw new DocumentUnreadable(`has more than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function codeOf(thrown: unknown): string {
  let last = 'failed';
  for (let each = thrown; each instanceof Error; each = each.cause) {
    if ('code' in each && typeof each.code === 'string') return each.code;
    if (each.name === 'TimeoutError') return 'it took too long';
    last = each.message;
  }
  return last;
}
