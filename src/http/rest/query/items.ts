// Lists inside of a query value: `a,b`, `"a, b",c`, and the filters of `@or=(a=1,b="x, y")`.

/** What was wrong with a list: said in the fault of its parameter. */
export interface Unreadable {
  readonly unreadable: string;
}

interface Piece<T> {
  readonly value: T;
  /** Where the comma or the end of the text is. */
  readonly end: number;
}

/** Values separated by commas; one that begins with a quote is quoted, any other is taken as it is. */
export function itemsOf(text: string): readonly string[] | Unreadable {
  return pieces(text, (at) => valueAt(text, at));
}

/** Filters separated by commas, each a name and, behind the first `=`, a value like that of a list. */
export function termsOf(text: string): readonly { readonly name: string; readonly value: string }[] | Unreadable {
  return pieces(text, (at) => {
    const equals = text.indexOf('=', at);
    const name = text.slice(at, equals).trim();
    if (equals === -1 || name === '' || name.includes(',')) return { unreadable: 'is a list of filters in brackets: (a=1,b[gt]=2)' };
    const value = valueAt(text, equals + 1);
    return 'unreadable' in value ? value : { value: { name: decoded(name), value: value.value }, end: value.end };
  });
}

export function isUnreadable(items: readonly unknown[] | Unreadable): items is Unreadable {
  return !Array.isArray(items);
}

function pieces<T>(text: string, pieceAt: (at: number) => Piece<T> | Unreadable): readonly T[] | Unreadable {
  const found: T[] = [];
  for (let at = 0; at <= text.length; ) {
    const piece = pieceAt(at);
    if ('unreadable' in piece) return piece;
    found.push(piece.value);
    at = piece.end + 1;
  }
  return found;
}

function valueAt(text: string, at: number): Piece<string> | Unreadable {
  if (text[at] === '"') return quotedAt(text, at);
  const comma = text.indexOf(',', at);
  const end = comma === -1 ? text.length : comma;
  const plain = text.slice(at, end);
  // It would be read otherwise than it looks.
  if (plain.trimStart().startsWith('"')) return { unreadable: 'has a blank before a quote; a value in quotes begins with its quote' };
  return { value: decoded(plain), end };
}

/** Up to the closing quote, as it stands, but for `\"` and `\\`. */
function quotedAt(text: string, at: number): Piece<string> | Unreadable {
  let value = '';
  let from = at + 1;
  for (let index = from; index < text.length; index += 1) {
    if (text[index] === '\\') {
      if (text[index + 1] !== '"' && text[index + 1] !== '\\')
        return { unreadable: 'has a backslash in quotes that stands before neither a quote nor a backslash; write \\\\ for one' };
      value += text.slice(from, index);
      index += 1;
      from = index;
    } else if (text[index] === '"') {
      if (index + 1 < text.length && text[index + 1] !== ',')
        return { unreadable: 'goes on behind a closing quote; write \\" for a quote inside' };
      return { value: value + text.slice(from, index), end: index + 1 };
    }
  }
  return { unreadable: 'has a quote that is not closed; write \\" for a quote inside' };
}

/** What is percent-encoded twice is a part of the value. */
function decoded(plain: string): string {
  return plain.replace(/%(2c|22|28|29|5b|5d|5c|25)/gi, decodeURIComponent);
}
