// Taking data out and in: what is filtered as CSV or JSON, and a CSV or JSON file as new instances, all or none.

import { type ChangeEvent, useState } from 'react';
import { creation, listOf, perform, type Row } from '../../api/instances.ts';
import { parseJson, writeJson } from '../../api/json.ts';
import type { EntityDescription } from '../../api/model.ts';
import { Problem, problemOf, send } from '../../api/request.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FaultText, messageOf } from '../../components/fault-text.tsx';
import { draftValue } from '../../components/form/draft.ts';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { toast } from '../../components/toast.tsx';
import { shortened, textOf } from '../../components/value.tsx';
import { parseCsv, writeCsv } from './csv.ts';
import { shownAttributes } from './list-query.ts';

export function ExportMenu({ entity, path }: { entity: EntityDescription; path: string }) {
  const save = async (form: 'csv' | 'json'): Promise<void> => {
    try {
      const response = await send({ path });
      const body = parseJson(await response.text());
      if (!response.ok) throw problemOf(response.status, body);
      const rows = listOf(body);
      const names = [...shownAttributes(entity).map((each) => each.name), ...(entity.contained ? ['__path__'] : [])];
      const text =
        form === 'json'
          ? writeJson(rows, 2)
          : writeCsv(
              names,
              rows.map((row) => names.map((name) => textOf(row[name]))),
            );
      download(`${entity.local}.${form}`, text, form === 'json' ? 'application/json' : 'text/csv');
      toast(`${rows.length.toLocaleString()} exported`);
    } catch (failure) {
      toast(`Not exported: ${messageOf(failure)}`);
    }
  };
  return (
    <Menu name="Export" label="Export">
      <MenuItem onSelect={() => save('csv')}>CSV</MenuItem>
      <MenuItem onSelect={() => save('json')}>JSON</MenuItem>
    </Menu>
  );
}

function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

const mostShown = 5;

export function ImportDialog({ entity, onClose, onDone }: { entity: EntityDescription; onClose: () => void; onDone: () => void }) {
  const [rows, setRows] = useState<readonly Row[]>([]);
  const [thrown, setThrown] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const choose = async (event: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [file] = event.target.files ?? [];
    if (file === undefined) return;
    setThrown(undefined);
    try {
      const text = await file.text();
      setRows(file.name.endsWith('.json') ? listOf(parseJson(text)) : rowsOf(entity, parseCsv(text)));
    } catch (failure) {
      setRows([]);
      setThrown(failure);
    }
  };
  const start = async (): Promise<void> => {
    setBusy(true);
    try {
      await perform(creation(entity.path, entity.name, rows));
      toast(`${rows.length.toLocaleString()} imported`);
      onDone();
      onClose();
    } catch (failure) {
      setThrown(failure);
    }
    setBusy(false);
  };
  const names = [...new Set(rows.slice(0, mostShown).flatMap((row) => Object.keys(row)))];
  return (
    <Dialog title={`Import ${entity.local}`} onClose={onClose} wide>
      <label>
        A CSV file whose first line names attributes, or a JSON array
        <input type="file" accept=".csv,.json,text/csv,application/json" onChange={choose} />
      </label>
      {rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard.
        <div className="scroll" tabIndex={0}>
          <table className="plain">
            <caption>
              {rows.length.toLocaleString()} {rows.length === 1 ? 'line' : 'lines'}, all of them or none
            </caption>
            <thead>
              <tr>
                {names.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, mostShown).map((row, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines of a file have nothing but their place.
                <tr key={index}>
                  {names.map((name) => (
                    <td key={name}>{shortened(textOf(row[name]))}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {thrown !== undefined && <LineFaults thrown={thrown} />}
      <div className="buttons">
        <button type="button" className="primary" disabled={rows.length === 0 || isBusy} onClick={start}>
          Import
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

/** `[2].title` is the third line behind the names. */
function LineFaults({ thrown }: { thrown: unknown }) {
  if (!(thrown instanceof Problem) || thrown.errors.length === 0) return <FaultText thrown={thrown} />;
  return (
    <div role="alert" className="fault">
      <p>Nothing was imported. {thrown.message}</p>
      <ul>
        {thrown.errors.slice(0, 100).map(({ attribute, message }) => {
          const [, index, name] = /^\[(\d+)\]\.?(.*)$/.exec(attribute) ?? [];
          return (
            <li key={`${attribute} ${message}`}>
              {index === undefined ? attribute : `Line ${Number(index) + 2}: ${name}`} {message}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function rowsOf(entity: EntityDescription, [names = [], ...lines]: readonly (readonly string[])[]): readonly Row[] {
  return lines.map((line) =>
    Object.fromEntries(
      names.flatMap((name, index) => {
        const text = line[index] ?? '';
        const attribute = entity.attributes.find((each) => each.name === name);
        if (name === '__path__' || (text === '' && attribute?.required !== true)) return [];
        return [[name, attribute === undefined ? text : attribute.list ? parseJson(text) : draftValue(attribute, text)]];
      }),
    ),
  );
}
