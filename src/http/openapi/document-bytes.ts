// The bytes of an OpenAPI document, made in short turns: that of a large model is many megabytes, and others do not wait for it.

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { unreachable } from '../../errors.ts';
import type { Plan } from '../../plan/plan.ts';
import { inEachSection, type Section } from './components.ts';
import { type Described, type DocumentPart, documentParts } from './openapi.ts';

export interface DocumentBytes {
  readonly body: Buffer;
  readonly etag: string;
}

/** Milliseconds of work before others have their turn. */
const turn = 3;

export async function documentBytes(plan: Plan, described: Described): Promise<DocumentBytes> {
  const text: DocumentText = { head: [], paths: [], components: inEachSection<Buffer[]>(() => []) };
  await inTurns(documentParts(plan, described), (part) => addPart(part, text));
  const pieces = piecesOf(text);
  const body = Buffer.allocUnsafeSlow(pieces.reduce((bytes, piece) => bytes + piece.length, 0));
  const hash = createHash('sha256');
  let at = 0;
  await inTurns(pieces, (piece) => {
    hash.update(piece);
    at += piece.copy(body, at);
  });
  return { body, etag: `"${hash.digest('base64url').slice(0, 22)}"` };
}

async function inTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let until = performance.now() + turn;
  for (const item of items) {
    work(item);
    if (performance.now() < until) continue;
    await setImmediate();
    until = performance.now() + turn;
  }
}

/** Objects are not kept: each part becomes its text at once. */
interface DocumentText {
  readonly head: Buffer[];
  readonly paths: Buffer[];
  readonly components: Readonly<Record<Section, Buffer[]>>;
}

function addPart(part: DocumentPart, { head, paths, components }: DocumentText): void {
  switch (part.kind) {
    case 'head':
      head.push(Buffer.from(JSON.stringify(part.head).slice(1, -1)));
      break;
    case 'path':
      addMember(paths, part.path, part.item);
      break;
    case 'component':
      addMember(components[part.section], part.name, part.part);
      break;
    case 'progress':
      break;
    default:
      unreachable(part);
  }
}

function addMember(members: Buffer[], name: string, value: unknown): void {
  members.push(Buffer.from(`${members.length > 0 ? ',' : ''}${JSON.stringify(name)}:${JSON.stringify(value)}`));
}

/** What `JSON.stringify` makes of the whole document. */
function piecesOf({ head, paths, components }: DocumentText): readonly Buffer[] {
  const sections = Object.entries(components).map(([name, members], at) => [
    Buffer.from(`${at > 0 ? '},' : ''}${JSON.stringify(name)}:{`),
    ...members,
  ]);
  const between = (text: string): readonly Buffer[] => [Buffer.from(text)];
  return [between('{'), head, between(',"paths":{'), paths, between('},"components":{'), ...sections, between('}}}')].flat();
}
