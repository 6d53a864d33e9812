// How a value is shown: always as text, times in the reader's zone with the exact one beside them.

import { NumberText, writeJson } from '../api/json.ts';
import type { AttributeDescription } from '../api/model.ts';

const most = 300;
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export function Value({ value, attribute }: { value: unknown; attribute: AttributeDescription | undefined }) {
  if (value === null || value === undefined) return <span className="absent">–</span>;
  if (attribute?.kind === 'datetime' && typeof value === 'string') return <Time value={value} />;
  if (attribute?.enum !== undefined && !attribute.list) return <span className="enum">{textOf(value)}</span>;
  return <>{shortened(textOf(value))}</>;
}

export function Time({ value }: { value: string }) {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return <>{shortened(value)}</>;
  return (
    <time dateTime={value} title={`${shortened(value)} (${at.toLocaleString()})`}>
      {ago(at)}
    </time>
  );
}

function ago(at: Date): string {
  const seconds = (at.getTime() - Date.now()) / 1000;
  const [unit, length] = units.find(([, each]) => Math.abs(seconds) >= each) ?? (['second', 1] as const);
  if (unit === 'year' || unit === 'month') return at.toLocaleDateString();
  return relative.format(Math.round(seconds / length), unit);
}

/** A value as text: what it is, never as markup. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object' && !(value instanceof NumberText)) return writeJson(value);
  return String(value);
}

export function shortened(text: string): string {
  return visible(text, most).replaceAll(/[\n\t]/g, ' ');
}

/** Characters that cannot be seen, or that turn the text around them, are shown by their number. Lines stay lines, whichever break ends them. */
export function visible(text: string, longest = 20_000): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut
    .replaceAll('\r\n', '\n')
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (each) =>
      each === '\n' || each === '\t' ? each : `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}
