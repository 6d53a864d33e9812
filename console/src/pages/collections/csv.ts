// Comma-separated values as RFC 4180 has them: quoted where they must be, read with quotes and line ends inside.

export function writeCsv(names: readonly string[], rows: readonly (readonly string[])[]): string {
  return [names, ...rows].map((row) => row.map(quoted).join(',')).join('\r\n');
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/gy;
  const body = text.replace(/^\ufeff/, '');
  while (pattern.lastIndex < body.length) {
    const at = pattern.lastIndex;
    const found = pattern.exec(body);
    if (found === null) throw new Error(`Line ${rows.length + 1} cannot be read: a quote stands inside of a value (at ${at}).`);
    const [, inQuotes, plain = '', end] = found;
    row.push(inQuotes?.replaceAll('""', '"') ?? plain);
    if (end === ',' && pattern.lastIndex === body.length) row.push('');
    if (end !== ',' || pattern.lastIndex === body.length) {
      if (row.length > 1 || row[0] !== '') rows.push(row);
      row = [];
    }
  }
  return rows;
}
