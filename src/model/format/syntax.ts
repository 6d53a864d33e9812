// Reads a regular expression into a tree. What one character may be is left as it is written: the runtime's own engine tests single characters.

export type FormatNode =
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly FormatNode[] }
  | { readonly kind: 'choice'; readonly branches: readonly FormatNode[] }
  | { readonly kind: 'repetition'; readonly body: FormatNode; readonly least: number; readonly most: number };

export type Assertion = 'start' | 'end' | 'boundary' | 'no-boundary';

/** What a format is refused for. */
export class FormatRefusal extends Error {}

const assertions: ReadonlyMap<string, Assertion> = new Map([
  ['^', 'start'],
  ['$', 'end'],
  ['\\b', 'boundary'],
  ['\\B', 'no-boundary'],
]);

const quantifiers: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['*', [0, Number.POSITIVE_INFINITY]],
  ['+', [1, Number.POSITIVE_INFINITY]],
  ['?', [0, 1]],
]);

const quantifier = /([*+?]|\{(\d+)(,?)(\d*)\})\??/y;
const lookAround = /\(\?<?[=!]/y;
const group = /\((?:\?(?::|<[^>]*>))?/y;
const reference = /\\[1-9k]/y;

/** One character as it is written: a class, an escape, or itself. With the flag `u` it is a code point, else a unit of UTF-16. */
const hex = String.raw`[\dA-Fa-f]`;
const characterClass = String.raw`\[(?:\\.|[^\]\\])*\]`;
const codes = String.raw`\\u${hex}{4}|\\x${hex}{2}|\\c[A-Za-z]|\\0(?!\d)`;
const surrogates = String.raw`\\u[Dd][89ABab]${hex}{2}\\u[Dd][C-Fc-f]${hex}{2}`;
const characters: Readonly<Record<string, RegExp>> = {
  u: new RegExp(String.raw`${characterClass}|\\u\{${hex}+\}|${surrogates}|${codes}|\\[Pp]\{[^}]*\}|\\[^\dcux]|[^\\()|]`, 'suy'),
  '': new RegExp(String.raw`${characterClass}|${codes}|\\[^\dc]|[^\\()|]`, 'sy'),
};

/** The expression must be one for the runtime with these flags; what needs more than one pass over the text is refused. */
export function readFormat(format: string, flags: string): FormatNode {
  const reader = new FormatReader(format, flags);
  return reader.choice();
}

class FormatReader {
  readonly #format: string;
  readonly #character: RegExp | undefined;
  #at = 0;

  constructor(format: string, flags: string) {
    this.#format = format;
    this.#character = characters[flags];
  }

  choice(): FormatNode {
    const branches = [this.#sequence()];
    while (this.#take(/\|/y) !== undefined) branches.push(this.#sequence());
    const [first, ...others] = branches;
    return first !== undefined && others.length === 0 ? first : { kind: 'choice', branches };
  }

  #sequence(): FormatNode {
    const parts: FormatNode[] = [];
    while (this.#at < this.#format.length && !'|)'.includes(this.#format.charAt(this.#at))) parts.push(this.#repeated(this.#part()));
    return { kind: 'sequence', parts };
  }

  #part(): FormatNode {
    if (this.#take(lookAround) !== undefined) throw new FormatRefusal('it looks ahead or behind');
    if (this.#take(reference) !== undefined) throw new FormatRefusal('it refers back to a group');
    const assertion = assertions.get(this.#take(/[$^]|\\[Bb]/y)?.[0] ?? '');
    if (assertion !== undefined) return { kind: 'assertion', assertion };
    if (this.#take(/\(\?(?![:<])/y) !== undefined) throw new FormatRefusal('it changes flags inside');
    if (this.#take(group) !== undefined) {
      const inner = this.choice();
      this.#at += 1;
      return inner;
    }
    const source = this.#character === undefined ? undefined : this.#take(this.#character)?.[0];
    if (source === undefined)
      throw new FormatRefusal(`\`${this.#format.slice(this.#at, this.#at + 2)}\` is not an escape that can be used`);
    return { kind: 'character', source };
  }

  #repeated(body: FormatNode): FormatNode {
    const found = this.#take(quantifier);
    if (found === undefined) return body;
    const [, sign = '', first = '', comma, last = ''] = found;
    const known = quantifiers.get(sign);
    if (known !== undefined) return { kind: 'repetition', body, least: known[0], most: known[1] };
    const least = Number(first);
    const most = last !== '' ? Number(last) : comma === ',' ? Number.POSITIVE_INFINITY : least;
    return { kind: 'repetition', body, least, most };
  }

  #take(token: RegExp): RegExpExecArray | undefined {
    token.lastIndex = this.#at;
    const found = token.exec(this.#format) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }
}
