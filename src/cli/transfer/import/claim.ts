// What an import writes into the database together with the rows it adds: which lines they were, since its checkpoint was last written.

import { createHash } from 'node:crypto';
import { both, equal } from '../../../plan/query/condition.ts';
import type { Delete, Insert, Select, Update } from '../../../plan/query/shape.ts';
import type { Table } from '../../../plan/rows/table.ts';
import type { SchemaSession } from '../../../store/sql/ddl.ts';
import { StartRefused, type Store, type Writer } from '../../../store/store.ts';

/** What came of lines of a file. */
export interface Outcomes {
  /** The last line that was looked at; 0 where these are lines that had waited. */
  readonly line: number;
  readonly added: readonly number[];
  readonly same: readonly number[];
  readonly waiting: readonly number[];
  readonly refused: readonly number[];
}

/** By the name of the file: what its checkpoint of that stamp does not know yet. */
export type Unsaved = Readonly<Record<string, { readonly saved: string; readonly outcomes: Outcomes }>>;

/** The right to add lines for one checkpoint: whoever begins later takes it over, and the former one adds nothing more. */
export interface Claim {
  /** What was added before, and stands in no checkpoint. */
  readonly left: Unsaved;
  /** In the transaction that adds the lines. */
  note(unsaved: Unsaved, tx: Writer): Promise<void>;
  /** Nothing is left to remember. */
  end(): Promise<void>;
}

export async function claimImport(store: Store, checkpoint: string, owner: string): Promise<Claim> {
  const run = createHash('sha256').update(checkpoint).digest('hex');
  await store.schema(ensureTable);
  const left = await store.write(async (tx) => {
    await tx.alone(`import ${run}`, table.name);
    const value = (await tx.one(find, [run]))?.columns[0];
    await tx.delete(remove, [run]);
    await tx.insert(insert, [run, owner, typeof value === 'string' ? value : '{}']);
    return typeof value === 'string' ? value : '{}';
  });
  return {
    left: JSON.parse(left),
    async note(unsaved, tx) {
      if ((await tx.update(change, [JSON.stringify(unsaved), run, owner])).length === 0) throw overtaken(checkpoint);
    },
    async end() {
      await store.write((tx) => tx.delete(removeOwn, [run, owner]));
    },
  };
}

async function ensureTable({ executor, ddl }: SchemaSession): Promise<void> {
  const isThere = async (): Promise<boolean> => (await executor.rows(ddl.tableExists, [table.name])).length > 0;
  if (await isThere()) return;
  try {
    for (const each of ddl.createTable(table)) await executor.run(each);
  } catch (thrown) {
    // Another import may have made it in the same moment.
    if (!(await isThere())) throw thrown;
  }
}

function overtaken(checkpoint: string): StartRefused {
  return new StartRefused(`Another import goes on with what ${checkpoint} remembers; this one has added nothing more.`);
}

const text = (name: string) => ({ name, kind: 'text', required: true }) as const;
const table: Table = {
  name: '__platform_imports',
  columns: [text('run'), text('owner'), text('unsaved')],
  primaryKey: ['run'],
  uniques: [],
  indexes: [],
  foreignKeys: [],
};
const none = { fields: [], columns: [] } as const;
const own = both(equal('run'), equal('owner'));
const find: Select = {
  kind: 'select',
  table,
  output: { fields: [], columns: ['unsaved'] },
  where: equal('run'),
  order: [],
  limit: false,
  offset: false,
};
const insert: Insert = { kind: 'insert', table, columns: ['run', 'owner', 'unsaved'], output: none };
const change: Update = {
  kind: 'update',
  table,
  columns: ['unsaved'],
  version: undefined,
  where: own,
  output: { fields: [], columns: ['run'] },
};
const remove: Delete = { kind: 'delete', table, where: equal('run') };
const removeOwn: Delete = { kind: 'delete', table, where: own };
