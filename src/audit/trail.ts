// The tables of the audit trail: what is read from them and written to them. The only file of this room that does.

import { mapAwaitable } from '../engine/context.ts';
import { auditEntry } from '../model/builtin.ts';
import type { Plan } from '../plan/plan.ts';
import { type Condition, equal, everything } from '../plan/query/condition.ts';
import type { Delete, Insert, Output, Select, Update } from '../plan/query/shape.ts';
import { among, filled, partsOf, sized } from '../plan/query/sized.ts';
import type { Table } from '../plan/rows/table.ts';
import { versionColumn } from '../plan/rows/tables.ts';
import type { Awaitable, Reader, Row, Writer } from '../store/store.ts';
import type { Value } from '../values/value.ts';
import { entryColumns, insertedColumns, type SignedEntry } from './entry.ts';
import type { Block } from './hash-chain.ts';

/** Lines of several entries of one transaction. */
export interface Unsealed {
  readonly id: string;
  readonly lines: readonly string[];
}

export interface SealState {
  readonly key: string;
  readonly holder: string | undefined;
  readonly beat: number;
}

/** A block without what it holds. */
export type BlockHead = Omit<Block, 'entries'>;

/** Entries of one transaction stand in rows of so many. */
const linesPerRow = 1000;
/** How many entries one statement reads by their identifiers. */
const readAtOnce = 500;
const none: Output = Object.freeze({ fields: [], columns: [] });

export type Trail = ReturnType<typeof trailOf>;

export function trailOf(plan: Plan) {
  const entries = plan.entities.get(auditEntry)?.table;
  const { audit } = plan;
  if (entries === undefined || audit === undefined) throw new Error('the audit trail is part of every model where it is on');
  return { ...entryRows(entries), ...unsealedRows(audit.unsealed), ...blockRows(audit.blocks), ...stateRow(audit.state) };
}

function entryRows(table: Table) {
  const insert: Insert = { kind: 'insert', table: withTexts(table), columns: insertedColumns, output: none };
  const columns = [...entryColumns, versionColumn];
  const byIds = select(table, columns, among('id', readAtOnce));
  const removal = sized((count): Delete => ({ kind: 'delete', table, where: among('id', count) }));
  const pages = keyPages(table, 'id', columns);
  return {
    addEntries(tx: Writer, entries: readonly SignedEntry[]): Awaitable<unknown> {
      const [only] = entries;
      if (only !== undefined && entries.length === 1) return tx.insert(insert, only.values);
      return tx.insertEach(
        insert,
        entries.map(({ values }) => values),
      );
    },
    /** The columns of those that are there: those that are hashed, then the version. */
    async entriesWith(tx: Reader, wanted: readonly string[]): Promise<readonly (readonly Value[])[]> {
      const found: (readonly Value[])[] = [];
      for (let from = 0; from < wanted.length; from += readAtOnce) {
        const part = wanted.slice(from, from + readAtOnce);
        const values = [...part, ...Array.from({ length: readAtOnce - part.length }, () => part[0] ?? null)];
        for (const row of await tx.rows(byIds, values)) found.push(row.columns);
      }
      return found;
    },
    async removeEntries(tx: Writer, gone: readonly string[]): Promise<void> {
      for (const part of partsOf(gone)) {
        const { shape, values } = filled(removal, part);
        await tx.delete(shape, values);
      }
    },
    /** The same of those behind an identifier, or from the first one on. */
    async entriesAfter(tx: Reader, id: string | undefined, limit: number): Promise<readonly (readonly Value[])[]> {
      const rows = id === undefined ? await tx.rows(pages.first, [limit]) : await tx.rows(pages.next, [id, limit]);
      return rows.map((row) => row.columns);
    },
  };
}

/** Objects are given as the texts that they become. */
function withTexts(table: Table): Table {
  return { ...table, columns: table.columns.map((each) => (each.kind === 'json' ? { ...each, kind: 'text' } : each)) };
}

function unsealedRows(table: Table) {
  const columns = ['id', 'entries'];
  const insert: Insert = { kind: 'insert', table, columns, output: none };
  const pages = keyPages(table, 'id', columns);
  const removal = sized((count): Delete => ({ kind: 'delete', table, where: among('id', count) }));
  const upTo: Delete = { kind: 'delete', table, where: { kind: 'compare', column: 'id', operator: 'lte' } };
  return {
    addUnsealed(tx: Writer, entries: readonly SignedEntry[]): Awaitable<void> {
      const rows = Array.from({ length: Math.ceil(entries.length / linesPerRow) }, (_, at) => {
        const part = entries.slice(at * linesPerRow, (at + 1) * linesPerRow);
        return [part[0]?.values[0] ?? null, part.map(({ line }) => line).join('\n')];
      });
      return mapAwaitable(tx.insertEach(insert, rows), () => {});
    },
    /** Those behind an identifier, or from the first one on. */
    async unsealedAfter(tx: Reader, id: string | undefined, limit: number): Promise<readonly Unsealed[]> {
      const rows = id === undefined ? await tx.rows(pages.first, [limit]) : await tx.rows(pages.next, [id, limit]);
      return rows.map(({ columns: [found, lines] }) => ({ id: String(found), lines: linesOf(String(lines)) }));
    },
    /** Where nobody else writes, so that all of these are known. */
    async removeUnsealedUpTo(tx: Writer, id: string): Promise<void> {
      await tx.delete(upTo, [id]);
    },
    async removeUnsealed(tx: Writer, gone: readonly string[]): Promise<void> {
      for (const part of partsOf(gone)) {
        const { shape, values } = filled(removal, part);
        await tx.delete(shape, values);
      }
    },
  };
}

function blockRows(table: Table) {
  const insert: Insert = { kind: 'insert', table, columns: blockColumns, output: none };
  const last: Select = { ...select(table, headColumns, everything), order: [{ column: 'number', descending: true }], limit: true };
  const byNumber = select(table, headColumns, equal('number'));
  const after: Select = {
    ...select(table, blockColumns, { kind: 'compare', column: 'number', operator: 'gt' }),
    order: [ascending('number')],
    limit: true,
  };
  const removal: Delete = { kind: 'delete', table, where: { kind: 'compare', column: 'number', operator: 'lte' } };
  return {
    async addBlock(tx: Writer, block: Block): Promise<void> {
      const { number, kind, time, count, entries, previous, signature } = block;
      await tx.insert(insert, [number, kind, time, count, entries, previous, signature]);
    },
    async lastBlock(tx: Reader): Promise<BlockHead | undefined> {
      return headIn(await tx.one(last, [1]));
    },
    async blockAt(tx: Reader, number: number): Promise<BlockHead | undefined> {
      return headIn(await tx.one(byNumber, [number]));
    },
    async blocksAfter(tx: Reader, number: number, limit: number): Promise<readonly Block[]> {
      return (await tx.rows(after, [number, limit])).map(blockIn);
    },
    async removeBlocksUpTo(tx: Writer, number: number): Promise<void> {
      await tx.delete(removal, [number]);
    },
  };
}

const headColumns = ['number', 'kind', 'time', 'count', 'previous', 'signature'];
const blockColumns = ['number', 'kind', 'time', 'count', 'entries', 'previous', 'signature'];

function headIn(row: Row | undefined): BlockHead | undefined {
  if (row === undefined) return undefined;
  const [number, kind, time, count, previous, signature] = row.columns;
  return { ...numbersOf(number, time, count), kind: String(kind), previous: String(previous), signature: String(signature) };
}

function blockIn({ columns }: Row): Block {
  const [number, kind, time, count, entries, previous, signature] = columns;
  const texts = { entries: String(entries), previous: String(previous), signature: String(signature) };
  return { ...numbersOf(number, time, count), kind: String(kind), ...texts };
}

function numbersOf(number: Value | undefined, time: Value | undefined, count: Value | undefined) {
  return { number: Number(number), time: Number(time), count: Number(count) };
}

function stateRow(table: Table) {
  const insert: Insert = { kind: 'insert', table, columns: ['id', 'key', 'holder', 'beat'], output: none };
  const found = select(table, ['key', 'holder', 'beat'], equal('id'));
  const locked: Select = { ...found, lock: 'change' };
  const update: Update = {
    kind: 'update',
    table,
    columns: ['holder', 'beat'],
    version: undefined,
    where: equal('id'),
    output: none,
  };
  const stateIn = (row: Row | undefined): SealState | undefined => {
    if (row === undefined) return undefined;
    const [key, holder, beat] = row.columns;
    return { key: String(key), holder: typeof holder === 'string' ? holder : undefined, beat: Number(beat) };
  };
  return {
    state: async (tx: Reader): Promise<SealState | undefined> => stateIn(await tx.one(found, [only])),
    /** Until the transaction ends, nobody else seals or prunes. */
    lockState: async (tx: Writer): Promise<SealState | undefined> => stateIn(await tx.one(locked, [only])),
    async addState(tx: Writer, key: string): Promise<void> {
      await tx.insert(insert, [only, key, null, 0]);
    },
    async setKey(tx: Writer, key: string): Promise<void> {
      await tx.update({ ...update, columns: ['key'] }, [key, only]);
    },
    async setHolder(tx: Writer, holder: string | undefined, beat: number): Promise<void> {
      await tx.update(update, [holder ?? null, beat, only]);
    },
  };
}

/** The identifier of the one row. */
const only = 1;

function select(table: Table, columns: readonly string[], where: Condition): Select {
  return { kind: 'select', table, output: { fields: [], columns }, where, order: [], limit: false, offset: false };
}

/** In the order of its key, from the beginning and behind a key: whoever alters a store may put rows before every key that was ever made. */
function keyPages(table: Table, key: string, columns: readonly string[]): { readonly first: Select; readonly next: Select } {
  const first: Select = { ...select(table, columns, everything), order: [ascending(key)], limit: true };
  return { first, next: { ...first, where: { kind: 'compare', column: key, operator: 'gt' } } };
}

function ascending(column: string) {
  return { column, descending: false };
}

export function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}
