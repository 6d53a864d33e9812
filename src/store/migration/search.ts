// The index of words of a table, as a changed model wants it: its rows get their words first.

import type { Column, Table } from '../../plan/rows/table.ts';
import { columnOf, wordColumn } from '../sql/names.ts';
import { mostWordBytes, wordsWithin } from '../sql/search-words.ts';
import { setEach } from './columns.ts';
import { listed, refused } from './diff/refusal.ts';
import { scanRows } from './diff/rows.ts';
import { physicalTable } from './diff/schema.ts';
import { dropSearch, isSearched, runAll, type TableChanges, tableOf } from './tables.ts';

export async function searchAs(work: TableChanges, id: string, wanted: Table): Promise<void> {
  if (JSON.stringify(tableOf(work, id).search) === JSON.stringify(wanted.search)) return;
  await dropSearch(work, id);
  if (!isSearched(wanted)) return;
  const { ddl } = work.session;
  for (const name of wanted.search) {
    await runAll(work, ddl.addColumn(physicalTable(tableOf(work, id)), columnOfWords(name)));
    await fillWords(work, id, name, mostWordBytes(wanted));
  }
  const table = { ...tableOf(work, id), search: wanted.search };
  await runAll(work, ddl.createSearch({ ...physicalTable(table), search: wanted.search }));
  work.tables.set(id, table);
}

function columnOfWords(name: string): Column {
  return { name: wordColumn(name), kind: 'text', required: false };
}

async function fillWords(work: TableChanges, id: string, name: string, most: number): Promise<void> {
  const table = physicalTable(tableOf(work, id));
  const misfits: string[] = [];
  await setEach(work, id, columnOfWords(name), `the words of ${table.name}.${name}`, async (set) => {
    for await (const { key, label, values } of scanRows(work.session, table, [columnOf(table, name)])) {
      const [value = null] = values;
      if (typeof value !== 'string') continue;
      const words = wordsWithin(value, most);
      if (words === undefined) misfits.push(label);
      else await set(key, words);
    }
  });
  if (misfits.length === 0) return;
  const what = `${misfits.length} values of ${table.name}.${name} have more than ${most} bytes of words: ${listed(misfits.length, misfits.slice(0, 5))}`;
  throw refused([{ what, ways: ['shorten those first', 'or mark other attributes with @fulltext'] }]);
}
