// Instances of either surface as flat objects: reading, writing and removing them.

import { scalarText } from './json.ts';
import type { EntityDescription, ModelDescription, StepDescription } from './model.ts';
import { type Call, call, decoded, Problem } from './request.ts';
import type { Row } from './rights.ts';
import { settings } from './settings.ts';

export type { Row } from './rights.ts';

export interface Page {
  readonly rows: readonly Row[];
  readonly total: number | undefined;
  /** Path and query of the next page. */
  readonly next: string | undefined;
}

export interface Instance {
  readonly row: Row;
  readonly etag: string | null;
}

const isEarlier = settings.surface === 'earlier';

export async function readPage(path: string, signal?: AbortSignal): Promise<Page> {
  const { body, headers } = await call({ path, signal });
  const total = headers.get('x-total-count');
  const next = /<([^>]*)>;\s*rel="?next"?/.exec(headers.get('link') ?? '')?.[1];
  return { rows: listOf(body), total: total === null ? undefined : Number(total), next };
}

export async function readInstance(path: string, signal?: AbortSignal): Promise<Instance> {
  const { body, headers } = await call({ path, signal });
  const [row] = listOf(body);
  if (row === undefined) throw new Problem(404, 'instance-not-found', 'There is no such instance.');
  return { row, etag: headers.get('etag') };
}

export function creation(path: string, type: string, body: unknown): Call {
  return { method: 'POST', path, body: keyed(type, body) };
}

/** Two instances, and the way from the one to the other; what the link itself holds stands in the other. */
export interface LinkedEnds {
  readonly step: StepDescription;
  readonly from: LinkedEnd;
  readonly to: LinkedEnd;
}

interface LinkedEnd {
  readonly entity: EntityDescription;
  readonly row: Row;
}

/** At the path of the relationship: there an end that has gone meanwhile is a fault, where the path of an instance would make it again. */
export function linking(model: ModelDescription, { step, from, to }: LinkedEnds): Call {
  const relationship = model.relationships.find((each) => each.name === step.relationship);
  const ends = isTurned(model, step) ? [to, from] : [from, to];
  const keys = ends.map(({ entity, row }, index) => [
    relationship?.ends[index]?.role ?? '',
    (entity.contained ? row['__path__'] : undefined) ?? row[entity.identifier],
  ]);
  const held: Row = Object(to.row['@link']);
  const own = relationship?.attributes.filter(({ name, computed }) => !computed && held[name] !== null && held[name] !== undefined) ?? [];
  const values = own.map(({ name }) => [name, held[name]]);
  return creation(relationship?.path ?? '', step.relationship, Object.fromEntries([...values, ...keys]));
}

/** Whether a step goes from the second end of its relationship to the first; a type that is linked with itself has a direction. */
export function isTurned(model: ModelDescription, step: StepDescription): boolean {
  const [first, second] = model.relationships.find((each) => each.name === step.relationship)?.ends ?? [];
  return first?.entity === second?.entity ? step.name === first?.role : step.target === first?.entity;
}

export function change(path: string, body: unknown, etag: string | null): Call {
  return { method: 'PUT', path, body: isEarlier ? { Data: body } : body, ...(etag === null ? {} : { headers: { 'if-match': etag } }) };
}

export async function perform(asked: Call): Promise<Instance> {
  const { body, headers } = await call(asked);
  return { row: listOf(body)[0] ?? {}, etag: headers.get('etag') };
}

/** On the earlier surface a body stands under the name of its type. */
function keyed(type: string, body: unknown): unknown {
  if (!isEarlier) return body;
  return Array.isArray(body) ? body.map((each) => ({ [type]: each })) : { [type]: body };
}

/** Without the envelope, and without what the earlier surface puts around and beside the attributes. */
export function listOf(body: unknown): readonly Row[] {
  const found = withoutEnvelope(body);
  const list: readonly unknown[] = Array.isArray(found) ? found : found === null || found === undefined ? [] : [found];
  return list.map((each) => flat(Object(each)));
}

/** What an event gave, in its own form. */
export function withoutEnvelope(body: unknown): unknown {
  const first: unknown = Array.isArray(body) ? body[0] : undefined;
  const isEnvelope = isEarlier && typeof first === 'object' && first !== null && 'status' in first && 'result' in first;
  return isEnvelope ? first.result : body;
}

function flat(row: Row): Row {
  const names = Object.keys(row);
  const [only] = names;
  return isEarlier && names.length === 1 && only?.includes('/') === true ? Object(row[only]) : row;
}

/** Where an instance is read and written: what stands under a parent has its path written on it. */
export function pathOf(entity: EntityDescription, row: Row): string {
  const written = row['__path__'];
  if (typeof written === 'string' && entity.contained) return pathFrom(written);
  const isScalar = entity.attributes.some(({ name, kind }) => name === entity.identifier && kind === 'scalar');
  const identifier = row[entity.identifier];
  return `${entity.path}/${encodeURIComponent(isScalar ? scalarText(identifier) : String(identifier))}`;
}

/** `path://blog$Post/1/blog$PostComment/blog$Comment/2` as a path of the API. */
export function pathFrom(written: string): string {
  const [type = '', ...rest] = written.slice('path://'.length).split('/');
  if (isEarlier && type.startsWith(ownRuns)) return earlierRunPath(type, rest);
  return `${isEarlier ? '/api' : ''}/${[type.replace('$', '/'), ...rest].join('/')}`;
}

const ownRuns = 'platform.ai$';

/** Runs have another module on the earlier surface, whatever is written on what they contain. */
function earlierRunPath(type: string, rest: readonly string[]): string {
  const local = (name: string): string => name.slice(ownRuns.length);
  // An identifier, then a relationship, a type and an identifier for each place below.
  return `/api/Platform.Core/${[local(type), ...rest.map((each, at) => (at % 3 === 0 ? each : local(each)))].join('/')}`;
}

/** The type that the path of an instance ends at. */
export function entityAt(model: ModelDescription, path: string): EntityDescription | undefined {
  const parts = path
    .replace(/^\/api\//, '/')
    .split('/')
    .slice(1)
    .map(decoded);
  const [module = '', local = ''] = parts;
  let entity = model.entities.find((each) => each.name === `${module}/${local}`);
  for (let at = 3; at + 1 < parts.length && entity !== undefined; at += 3) {
    const [relationship = '', name = ''] = [parts[at], parts[at + 1]].map((each) => each?.replace('$', '/'));
    const step = entity.steps.find(
      (each) =>
        (each.segment === parts[at] || each.relationship === relationship || each.local === relationship) &&
        (each.name === parts[at + 1] || each.target === name || each.target.endsWith(`/${name}`)),
    );
    entity = step && model.entities.find((each) => each.name === step.target);
  }
  return entity;
}

/** The collection in which an instance stands. */
export function collectionOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
