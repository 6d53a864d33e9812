// JSON text → transit text of the same value, in the verbose form: without codes for what was said before, any part stands for itself.

export function transitText(json: string): string {
  const { text } = converted(json, true);
  return /^\s*[[{]/.test(text) ? text : `{"~#'":${text}}`;
}

/** The same for an array or object that comes in pieces, wherever it is cut. No more is held than what was cut. */
export async function* transitStream(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  let cut = '';
  for await (const piece of pieces) {
    const { text, rest } = converted(cut + piece, false);
    cut = rest;
    if (text !== '') yield text;
  }
  const { text } = converted(cut, true);
  if (text !== '') yield text;
}

/** What is known to be complete, and the rest: a text or number at the end may go on, and a text be the key of what follows. */
function converted(json: string, isWhole: boolean): { readonly text: string; readonly rest: string } {
  let text = '';
  let copied = 0;
  let at = 0;
  for (;;) {
    const open = json.indexOf('"', at);
    const end = open === -1 ? endOfKnown(json, at, isWhole) : open;
    if (end - at > longestSafe) {
      text += json.slice(copied, at) + json.slice(at, end).replace(numbers, exactInteger);
      copied = end;
    }
    if (open === -1) return { text: text + json.slice(copied, end), rest: json.slice(end) };
    const close = closingQuote(json, open);
    const next = close === -1 ? json.length : afterSpace(json, close + 1);
    if (next === json.length && !isWhole) return { text: text + json.slice(copied, open), rest: json.slice(open) };
    const mark = json.charAt(next) === ':' ? '~:' : needsEscape(json, open + 1) ? '~' : '';
    if (mark !== '') {
      text += json.slice(copied, open + 1) + mark;
      copied = open + 1;
    }
    at = close === -1 ? json.length : close + 1;
  }
}

/** Every integer of so many characters is one that a double holds exactly. */
const longestSafe = 15;
const numbers = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const largest64 = 2n ** 63n;

function exactInteger(number: string): string {
  if (number.length <= longestSafe || Number.isSafeInteger(Number(number)) || /[.eE]/.test(number)) return number;
  const value = BigInt(number);
  return value >= -largest64 && value < largest64 ? `"~i${number}"` : `"~n${number}"`;
}

function endOfKnown(json: string, from: number, isWhole: boolean): number {
  let end = json.length;
  if (!isWhole) while (end > from && '0123456789+-.eE'.includes(json.charAt(end - 1))) end -= 1;
  return end;
}

/** -1 when the text is cut before it. */
function closingQuote(json: string, open: number): number {
  for (let quote = json.indexOf('"', open + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let escapes = quote;
    while (json.charAt(escapes - 1) === '\\') escapes -= 1;
    if ((quote - escapes) % 2 === 0) return quote;
  }
  return -1;
}

function afterSpace(json: string, from: number): number {
  let at = from;
  while (at < json.length && ' \n\r\t'.includes(json.charAt(at))) at += 1;
  return at;
}

/** Whether the text from here on begins with what transit gives a meaning to. */
function needsEscape(json: string, start: number): boolean {
  const first = json.charAt(start);
  if (first === '\\') return /^\\u00(7e|5e|60)/i.test(json.slice(start, start + 6));
  return first === '~' || first === '^' || first === '`';
}
