// Entries of the audit trail as the pages know them, on either surface, and how they are asked for.

import { pathOf, type Row, readPage } from './instances.ts';
import { type EntityDescription, entityNamed, type ModelDescription } from './model.ts';

export interface Entry {
  readonly id: string;
  readonly time: string;
  readonly user: string | null;
  readonly operation: string;
  readonly type: string;
  readonly instance: string | null;
  readonly before: Row | null;
  readonly after: Row | null;
  readonly requestId: string | null;
  readonly outcome: string;
  readonly run: string | null;
}

export interface EntryFilter {
  readonly user?: string | undefined;
  readonly type?: string | undefined;
  readonly instance?: string | undefined;
  /** Moments as ISO 8601 has them. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export interface EntryPage {
  readonly entries: readonly Entry[];
  readonly next: string | undefined;
}

/** Nothing where the audit trail is off, or the caller may not read it. */
export function auditEntity(model: ModelDescription): EntityDescription | undefined {
  const found = ['platform.audit/Entry', 'Platform.Kernel.Audit/Entry'].map((name) => entityNamed(model, name)).find(Boolean);
  return found === undefined || found.operations.read === 'none' ? undefined : found;
}

/** The newest first. */
export function entriesPath(entity: EntityDescription, filter: EntryFilter, limit: number): string {
  const name = nameIn(entity);
  const conditions: readonly (readonly [string, string | undefined])[] = [
    [name('user'), filter.user],
    [name('type'), filter.type],
    [name('instance'), filter.instance],
    [`${name('time')}[gte]`, filter.since],
    [`${name('time')}[lte]`, filter.until],
  ];
  const asked = conditions.flatMap(([each, value]) =>
    value === undefined || value === '' ? [] : [`${each}=${encodeURIComponent(value)}`],
  );
  return `${entity.path}?${[...asked, `@sort=-${name('id')}`, `@limit=${limit}`].join('&')}`;
}

export async function readEntries(entity: EntityDescription, path: string, signal?: AbortSignal): Promise<EntryPage> {
  const { rows, next } = await readPage(path, signal);
  const name = nameIn(entity);
  const text = (row: Row, each: string): string => String(row[name(each)] ?? '');
  const optional = (row: Row, each: string): string | null => (row[name(each)] === null ? null : text(row, each));
  const object = (row: Row, each: string): Row | null => (row[name(each)] === null ? null : Object(row[name(each)]));
  const entries = rows.map(
    (row): Entry => ({
      id: text(row, 'id'),
      time: text(row, 'time'),
      user: optional(row, 'user'),
      operation: text(row, 'operation'),
      type: text(row, 'type'),
      instance: optional(row, 'instance'),
      before: object(row, 'before'),
      after: object(row, 'after'),
      requestId: optional(row, 'requestId'),
      outcome: text(row, 'outcome'),
      run: optional(row, 'run'),
    }),
  );
  return { entries, next };
}

/** What the trail calls an instance: its path where it stands under a parent, else its identifier. */
export function auditedName(entity: EntityDescription, row: Row): string {
  const path = row['__path__'];
  return entity.contained && typeof path === 'string' ? path : String(row[entity.identifier]);
}

/** Where the instance of an entry is shown, while there is such a type. */
export function recordAddress(model: ModelDescription, { type, instance }: Entry): string | undefined {
  const entity = entityNamed(model, type);
  if (entity === undefined || instance === null || entity.operations.read === 'none') return undefined;
  const path = pathOf(entity, { [entity.identifier]: instance, __path__: instance });
  return `/data/${type}?@record=${encodeURIComponent(path).replaceAll('%2F', '/')}`;
}

/** On the earlier surface attributes of the service begin with an upper-case letter. */
function nameIn({ attributes }: EntityDescription): (name: string) => string {
  const names = new Map(attributes.map((each) => [each.name.toLowerCase(), each.name]));
  return (name) => names.get(name.toLowerCase()) ?? name;
}
