// The text of a document: a file in the folder of the project, or an address of a host that the settings list.

import { open, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface DocumentPlace {
  /** That of the project. */
  readonly folder: string;
  /** Hosts that may be asked. */
  readonly hosts: readonly string[];
}

/** Why a document cannot be read, for the log and for `platform check`. */
class UnreadableDocument extends Error {}

const mostBytes = 5 * 1024 * 1024;
/** Milliseconds. */
const longestWait = 10_000;

/** Why a start could not read it, without asking anybody else; nothing where it most likely can. */
export async function unreadableDocument(url: string, place: DocumentPlace): Promise<string | undefined> {
  try {
    if (isAddress(url)) checkListed(new URL(url), place);
    else await documentFile(url, place);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof UnreadableDocument) return thrown.message;
    throw thrown;
  }
}

function isAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

export async function readDocument(url: string, place: DocumentPlace): Promise<string> {
  const bytes = isAddress(url) ? await fetched(new URL(url), place) : await fileText(await documentFile(url, place));
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') throw new UnreadableDocument('it is a PDF: text and Markdown are read');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Told below: what is no UTF-8 is as little a text as what holds zeros.
  }
  throw new UnreadableDocument('it is no text in UTF-8');
}

/** Its whole path; never outside of the project, whatever links lead there. */
async function documentFile(url: string, { folder }: Pick<DocumentPlace, 'folder'>): Promise<string> {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(url) && !/^file:\/\//i.test(url)) throw new UnreadableDocument('only files and http(s) are read');
  const root = await realpath(folder);
  const path = resolve(root, pathOf(url));
  checkInside(root, path);
  const file = await realpath(path).catch(() => {
    throw new UnreadableDocument('there is no such file');
  });
  checkInside(root, file);
  return file;
}

function checkInside(root: string, file: string): void {
  const inside = relative(root, file);
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) throw new UnreadableDocument('it is outside of the project');
}

/** `file://docs/a.md` and `file://./docs/a.md` are paths of the project, as the predecessor has them. */
function pathOf(url: string): string {
  if (/^file:\/\/\//i.test(url)) return fileURLToPath(url);
  return url.replace(/^file:\/\//i, '');
}

async function fileText(file: string): Promise<Buffer> {
  const handle = await open(file).catch(() => {
    throw new UnreadableDocument('it cannot be opened');
  });
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new UnreadableDocument('it is no file');
    if (stat.size > mostBytes) throw tooLarge();
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function checkListed({ host, hostname }: URL, { hosts }: DocumentPlace): void {
  if (!hosts.includes(host) && !hosts.includes(hostname)) throw new UnreadableDocument(`${host} is not among llm.documents.hosts`);
}

async function fetched(url: URL, place: DocumentPlace): Promise<Buffer> {
  checkListed(url, place);
  try {
    // A redirect could lead to a host that nobody has listed.
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(longestWait) });
    if (!response.ok || response.body === null) throw new UnreadableDocument(`${url.host} answered ${response.status}`);
    const type = response.headers.get('content-type') ?? 'text/plain';
    if (!/^text\/(?!html)|^application\/octet-stream/i.test(type))
      throw new UnreadableDocument(`it is ${type}: text and Markdown are read`);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw tooLarge();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (thrown) {
    if (thrown instanceof UnreadableDocument) throw thrown;
    throw new UnreadableDocument(`${url.host} cannot be reached`, { cause: thrown });
  }
}

function tooLarge(): UnreadableDocument {
  return new UnreadableDocument(`it has more than ${mostBytes / 1024 / 1024} MiB`);
}
