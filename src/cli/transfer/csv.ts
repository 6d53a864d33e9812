// Comma-separated values, as RFC 4180 has them: absent is an empty field, an empty text is a quoted one.

/** A field that is absent is `null`. */
export type CsvRecord = readonly (string | null)[];

export function csvLine(fields: CsvRecord): string {
  return fields.map(csvField).join(',');
}

function csvField(field: string | null): string {
  if (field === null) return '';
  return field === '' || /[",\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** Whether a text ends inside quotes, so that the next line belongs to it. */
export function isOpen(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) quotes += 1;
  return quotes % 2 === 1;
}

/** The fields of one record, or what is wrong with it. */
export function parseCsv(text: string): CsvRecord | { readonly fault: string } {
  const fields: (string | null)[] = [];
  let at = 0;
  for (;;) {
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1);
      if (end === -1) return { fault: 'a quoted field is not closed' };
      if (end + 1 < text.length && text[end + 1] !== ',') return { fault: 'a quoted field is followed by something else than a comma' };
      fields.push(text.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 1;
    } else {
      const comma = text.indexOf(',', at);
      const field = text.slice(at, comma === -1 ? text.length : comma);
      if (field.includes('"')) return { fault: 'a quote stands in a field that is not quoted' };
      fields.push(field === '' ? null : field);
      at += field.length;
    }
    if (at >= text.length) return fields;
    at += 1;
    if (at === text.length) return [...fields, null];
  }
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}
