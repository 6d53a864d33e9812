// Integers of any size in a generated client: read and written exactly where they are `Int` attributes. Part of the generated file.

/** Where integers stand in a value of the model: under these names, and in what stands under those. */
export interface Integers {
  /** Whether the value itself is one, or a list of them. */
  readonly isInt?: boolean;
  readonly ints?: readonly string[];
  readonly parts?: Readonly<Record<string, () => Integers>>;
}

/** How the integers of answers are given, and what is done with an answer before. */
export interface Reading {
  readonly bigints: boolean;
  readonly flat?: ((value: unknown) => unknown) | undefined;
}

/** A number with so many digits may be more than a double holds: it is read as a text behind this character, and a text that has it as one more. */
const mark = '\u0001';
const longTokens = /"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g;

export function readJson(text: string, where: Integers | undefined, { bigints, flat = (value) => value }: Reading): unknown {
  if (!bigints && !/\d{16}/.test(text)) return flat(JSON.parse(text));
  const marked = text.replace(longTokens, (token) => {
    if (!token.startsWith('"')) return `"\\u0001${token}"`;
    return token.startsWith('"\\u0001') ? `"\\u0001${token.slice(1)}` : token;
  });
  return where?.isInt === true
    ? integerOf(flat(JSON.parse(marked)), 'the result', bigints)
    : converted(flat(JSON.parse(marked)), where, bigints);
}

function converted(value: unknown, where: Integers | undefined, bigints: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => converted(each, where, bigints));
  if (typeof value === 'string') return unmarked(value, bigints);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]): [string, unknown] => {
      if (where?.ints?.includes(name) === true) return [name, integerOf(each, name, bigints)];
      return [name, converted(each, where?.parts?.[name]?.(), bigints)];
    }),
  );
}

/** What stands in a map, or is a double: a number that another one would have to stand for is none. */
function unmarked(text: string, bigints: boolean): string | number | bigint {
  if (!text.startsWith(mark)) return text;
  const digits = text.slice(mark.length);
  if (digits.startsWith(mark)) return digits;
  const number = Number(digits);
  if (String(number) === digits || (Number.isFinite(number) && BigInt(number) === BigInt(digits))) return number;
  if (bigints) return BigInt(digits);
  throw new RangeError(`an answer has ${digits}, more than a number holds: create the client with bigints: true`);
}

function integerOf(value: unknown, name: string, bigints: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => integerOf(each, name, bigints));
  const digits = typeof value === 'string' && value.startsWith(mark) && !value.startsWith(mark, 1) ? value.slice(mark.length) : value;
  if (typeof digits === 'string' && digits === value) return unmarked(digits, bigints);
  if (typeof digits !== 'string' && (typeof digits !== 'number' || !Number.isInteger(digits))) return value;
  if (bigints) return BigInt(digits);
  const number = Number(digits);
  if (!Number.isSafeInteger(number))
    throw new RangeError(`${name} is ${digits}, more than a number holds: create the client with bigints: true`);
  return number;
}

/** As `JSON.stringify`, with integers of any size. */
export function writeJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map((each) => (each === undefined ? 'null' : writeJson(each))).join(',')}]`;
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${writeJson(each)}`).join(',')}}`;
}
