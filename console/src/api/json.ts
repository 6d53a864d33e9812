// JSON whose numbers stay exact: one that JavaScript cannot hold is kept as the text that it was.

/** A number as it is written. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

interface Source {
  readonly source?: string;
}

interface RawJson {
  rawJSON?(text: string): unknown;
}

const native: RawJson = Object(JSON);

export function parseJson(text: string): unknown {
  const exact = (_: string, value: unknown, context?: Source): unknown =>
    typeof value === 'number' && context?.source !== undefined && !isExact(value, context.source) ? new NumberText(context.source) : value;
  return JSON.parse(text, exact);
}

export function writeJson(value: unknown, space?: number): string {
  const raw = (_: string, each: unknown): unknown =>
    each instanceof NumberText ? (native.rawJSON?.(each.text) ?? Number(each.text)) : each;
  return JSON.stringify(value, raw, space) ?? 'null';
}

/** A text, a number or a boolean as it is typed, and as it stands in a path: the text "1" is in quotes, as it is not the number 1. */
export function scalarText(value: unknown): string {
  if (value instanceof NumberText) return value.text;
  return typeof value === 'string' && value !== '' && jsonOr(value) === value ? value : writeJson(value);
}

/** What is no JSON is a text. */
export function jsonOr(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** `1.0` and `1e2` say the same as `1` and `100`; a digit more than JavaScript holds does not. */
function isExact(value: number, source: string): boolean {
  if (String(value) === source) return true;
  const digits = source.replace(/[eE].*$/, '').replace(/\D/g, '');
  if (value === 0) return /^0*$/.test(digits);
  // Near the ends of what a double holds there are fewer digits.
  return digits.length <= 15 && Math.abs(value) > 1e-290 && Math.abs(value) < 1e300;
}
