// Comma-separated values as RFC 4180 has them. An absent value is nothing, an empty text is two quotes; what a spreadsheet would compute is guarded.

/** What programs for tables take for a formula, wherever it comes from. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** With an apostrophe before what would be computed: a text that has one there already gets one more, so that reading takes away just that. */
export function guarded(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

export function unguarded(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text;
}

export type Cell = string | undefined;

export function csvLine(cells: readonly Cell[]): string {
  return cells.map(quoted).join(',');
}

function quoted(text: Cell): string {
  if (text === undefined) return '';
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function parseCsv(text: string): readonly (readonly Cell[])[] {
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/gy;
  const body = text.replace(/^\ufeff/, '');
  while (pattern.lastIndex < body.length) {
    const at = pattern.lastIndex;
    const found = pattern.exec(body);
    if (found === null) throw new Error(`Line ${rows.length + 1} cannot be read: a quote stands inside of a value (at ${at}).`);
    const [, inQuotes, plain = '', end] = found;
    row.push(inQuotes?.replaceAll('""', '"') ?? (plain === '' ? undefined : plain));
    if (end === ',' && pattern.lastIndex === body.length) row.push(undefined);
    if (end !== ',' || pattern.lastIndex === body.length) {
      if (row.length > 1 || row[0] !== undefined) rows.push(row);
      row = [];
    }
  }
  return rows;
}
