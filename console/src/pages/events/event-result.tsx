// What an event gave: a table where it is instances, else the value as it is. Always as text.

import { NumberText, writeJson } from '../../api/json.ts';
import { Code } from '../../components/code.tsx';
import { shortened, Time, textOf } from '../../components/value.tsx';

const mostRows = 100;
const mostColumns = 12;

export function EventResult({ value }: { value: unknown }) {
  if (value === null || value === undefined || value === '') return <p>It gave nothing back.</p>;
  const rows = Array.isArray(value) ? value : [value];
  if (!rows.every(isRecord)) return <Code text={typeof value === 'string' ? value : writeJson(value, 2)} />;
  if (rows.length === 0) return <p>It gave an empty list.</p>;
  return (
    <>
      {Array.isArray(value) ? <Rows rows={rows} /> : <OneRow row={rows[0] ?? {}} />}
      <details>
        <summary>As JSON</summary>
        <Code text={writeJson(value, 2)} />
      </details>
    </>
  );
}

type Row = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText);
}

function Rows({ rows }: { rows: readonly Row[] }) {
  const columns = [...new Set(rows.slice(0, mostRows).flatMap((row) => Object.keys(row)))].slice(0, mostColumns);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard.
    <div className="scroll" tabIndex={0}>
      <table className="plain">
        <caption>
          {rows.length.toLocaleString()} {rows.length === 1 ? 'row' : 'rows'}
          {rows.length > mostRows && `, of which the first ${mostRows} are shown`}
        </caption>
        <thead>
          <tr>
            {columns.map((each) => (
              <th key={each} scope="col">
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, mostRows).map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a result has nothing but its place.
            <tr key={at}>
              {columns.map((each) => (
                <td key={each}>
                  <Cell value={row[each]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function OneRow({ row }: { row: Row }) {
  return (
    <table className="plain">
      <tbody>
        {Object.entries(row).map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <Cell value={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A moment is one in the reader's zone; below, as JSON, it is as it was answered. */
function Cell({ value }: { value: unknown }) {
  if (value === null || value === undefined) return <span className="absent">–</span>;
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return <Time value={value} />;
  return <bdi>{shortened(textOf(value))}</bdi>;
}

/** What is known of the result before it is run, from its JSON Schema. */
export function expectedResult(schema: unknown): string {
  const text = nameOf(schema);
  return text === undefined ? 'What it gives is shown here.' : `It gives ${text}.`;
}

function nameOf(schema: unknown): string | undefined {
  const { type, title, items, properties } = Object(schema);
  if (type === 'null') return 'nothing back';
  if (type === 'array') {
    const each = nameOf(items);
    return each === undefined ? 'a list' : `a list, each item ${each}`;
  }
  if (typeof title === 'string') return title;
  if (typeof properties === 'object' && properties !== null) return `rows of ${Object.keys(properties).join(', ')}`;
  return typeof type === 'string' ? `a value (${type})` : undefined;
}
