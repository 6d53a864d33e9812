// One state of the data for as long as it is read: what copies and exports see, without disturbing a service that runs.

import type { Clock } from '../clock.ts';
import type { Table } from '../plan/rows/table.ts';
import { type Change, changesOf } from './migration/diff/changes.ts';
import { matchByName } from './migration/diff/match.ts';
import { findAstray, inWords } from './migration/mend-paths.ts';
import { readSchema } from './migration/state.ts';
import { openStore, type StoreSettings } from './open.ts';
import type { SchemaSession } from './sql/ddl.ts';
import { hasSqliteFile, readSqliteSchema, readSqliteSnapshot } from './sqlite/snapshot.ts';
import { type Reader, StartRefused } from './store.ts';

interface SnapshotOf {
  readonly settings: StoreSettings;
  readonly clock: Clock;
  readonly tables: readonly Table[];
}

/** What the tables are, without changing or making anything. A database that is not there yet is made, as it is for every command. */
export async function readSchemaOf<T>(settings: StoreSettings, clock: Clock, work: (session: SchemaSession) => Promise<T>): Promise<T> {
  if (settings.type === 'sqlite' && hasSqliteFile(settings.file)) return readSqliteSchema(settings.file, clock, work);
  const store = openStore(settings, clock);
  return store.schema(work).finally(() => store.close());
}

/** All of the data, in the form that the model has: nothing is left behind, and nothing is read as something else. */
export async function readSnapshot<T>({ settings, clock, tables }: SnapshotOf, work: (reader: Reader) => Promise<T>): Promise<T> {
  await refuseUnfit(settings, clock, tables);
  if (settings.type === 'sqlite') return readSqliteSnapshot(settings.file, work);
  const store = openStore(settings, clock);
  try {
    return await store.read(work, { consistent: true });
  } finally {
    await store.close();
  }
}

async function refuseUnfit(settings: StoreSettings, clock: Clock, tables: readonly Table[]): Promise<void> {
  if (settings.type === 'sqlite' && !hasSqliteFile(settings.file)) return;
  const schema = await readSchemaOf(settings, clock, readSchema);
  const [unfit] = changesOf(matchByName(schema, tables)).filter((each) => !harmless.has(each.kind));
  if (unfit === undefined) return refuseAstray(settings, clock, schema.tables);
  const name = 'before' in unfit ? unfit.before.name : unfit.table.name;
  throw new StartRefused(`The stored data does not have the form of this model (${name}): see platform migrate plan, and apply it first.`);
}

/** Whoever reads these paths elsewhere could not tell that they are wrong. */
async function refuseAstray(settings: StoreSettings, clock: Clock, tables: readonly Table[]): Promise<void> {
  const [first] = await readSchemaOf(settings, clock, (session) => findAstray(session, tables));
  if (first !== undefined) throw new StartRefused(`There are ${inWords(first)}. platform migrate apply mends them.`);
}

/** What is not there yet is told by the statement that looks for it. */
const harmless: ReadonlySet<Change['kind']> = new Set([
  'new-table',
  'new-column',
  'new-index',
  'gone-index',
  'loosened-column',
  'widened-column',
  // Values are of the same form, and computed anew wherever they get to.
  'recomputed-column',
]);
