// A CSV or JSON file as new instances, all or none.

import { type ChangeEvent, useState } from 'react';
import { creation, listOf, perform, type Row } from '../../../api/instances.ts';
import { parseJson } from '../../../api/json.ts';
import type { EntityDescription } from '../../../api/model.ts';
import { Problem } from '../../../api/request.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { FaultText } from '../../../components/fault-text.tsx';
import { toast } from '../../../components/toast.tsx';
import { shortened, textOf, visible } from '../../../components/value.tsx';
import { parseCsv } from './csv.ts';
import { rowsOf } from './csv-rows.ts';

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
      setRows(file.name.endsWith('.json') ? jsonRows(entity, text) : rowsOf(entity, parseCsv(text)));
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
                    {shortened(name)}
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
      <p>Nothing was imported. {visible(thrown.message, 2000)}</p>
      <ul>
        {thrown.errors.slice(0, 100).map(({ attribute, message }) => {
          const [, index, name] = /^\[(\d+)\]\.?(.*)$/.exec(attribute) ?? [];
          return (
            <li key={`${attribute} ${message}`}>
              {shortened(index === undefined ? attribute : `Line ${Number(index) + 2}: ${name}`)} {visible(message, 2000)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** What the service computes, and the places of instances, are not taken: an export has them too. */
function jsonRows({ attributes }: EntityDescription, text: string): readonly Row[] {
  const left = new Set(['__path__', '@rights', ...attributes.filter((each) => each.computed).map(({ name }) => name)]);
  return listOf(parseJson(text)).map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !left.has(name))));
}
