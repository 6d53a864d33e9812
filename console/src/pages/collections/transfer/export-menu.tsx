// What is filtered as a file: read page by page, so that neither the service nor the browser holds all of it as one text.

import { useState } from 'react';
import { readPage } from '../../../api/instances.ts';
import { writeJson } from '../../../api/json.ts';
import type { EntityDescription } from '../../../api/model.ts';
import { download } from '../../../components/download.ts';
import { messageOf } from '../../../components/fault-text.tsx';
import { Menu, MenuItem } from '../../../components/menu.tsx';
import { toast } from '../../../components/toast.tsx';
import { shownAttributes } from '../list-query.ts';
import { csvLine } from './csv.ts';
import { cellOf } from './csv-rows.ts';

const atOnce = 1000;

export function ExportMenu({ entity, path }: { entity: EntityDescription; path: string }) {
  const [progress, setProgress] = useState<number>();
  const save = async (form: 'csv' | 'json'): Promise<void> => {
    setProgress(0);
    try {
      const { pieces, count } = await piecesOf(entity, path, form, setProgress);
      download(`${entity.local}.${form}`, pieces, form === 'json' ? 'application/json' : 'text/csv');
      toast(`${count.toLocaleString()} exported`);
    } catch (failure) {
      toast(`Not exported: ${messageOf(failure)}`);
    }
    setProgress(undefined);
  };
  if (progress !== undefined) return <span role="status">Exporting: {progress.toLocaleString()} …</span>;
  return (
    <Menu name="Export" label="Export">
      <MenuItem onSelect={() => save('csv')}>CSV</MenuItem>
      <MenuItem onSelect={() => save('json')}>JSON</MenuItem>
    </Menu>
  );
}

async function piecesOf(entity: EntityDescription, path: string, form: 'csv' | 'json', onProgress: (count: number) => void) {
  const attributes = shownAttributes(entity);
  const names = [...attributes.map((each) => each.name), ...(entity.contained ? ['__path__'] : [])];
  const pieces: string[] = [form === 'json' ? '[' : `${csvLine(names)}\r\n`];
  let count = 0;
  let next: string | undefined = `${path}${path.includes('?') ? '&' : '?'}@limit=${atOnce}`;
  while (next !== undefined) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(next);
    const lines = page.rows.map((row, index) =>
      form === 'json'
        ? `${count + index === 0 ? '\n' : ',\n'}${writeJson(row)}`
        : `${csvLine(names.map((name, at) => cellOf(attributes[at], row[name])))}\r\n`,
    );
    pieces.push(lines.join(''));
    count += page.rows.length;
    onProgress(count);
    next = page.next;
  }
  if (form === 'json') pieces.push('\n]\n');
  return { pieces, count };
}
