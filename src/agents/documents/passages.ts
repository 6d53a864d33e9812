// Cuts a text into passages: paragraphs, put together while they are short and taken apart where they are long, each below its heading.

import { createHash } from 'node:crypto';

/** Characters of a passage. */
const longest = 1200;
/** Characters of a paragraph that is joined with the next one. */
const short = 400;
/** Of one document: what stands behind them is not searched, and reading refuses what would have more. */
const most = 10_000;

export function passagesOf(text: string): readonly string[] {
  const passages: string[] = [];
  let heading = '';
  let open = '';
  const close = (): void => {
    if (open.trim() !== '') passages.push(heading === '' || open.startsWith(heading) ? open : `${heading}\n\n${open}`);
    open = '';
  };
  for (const paragraph of text.split(/\r?\n\s*\r?\n/).map((each) => each.trim())) {
    const [first = ''] = paragraph.split('\n', 1);
    if (/^#{1,6} \S/.test(first)) {
      close();
      heading = first.slice(0, 200);
    }
    for (const piece of pieces(paragraph)) {
      if (open.length + piece.length > (open.length < short ? longest : short)) close();
      open = open === '' ? piece : `${open}\n\n${piece}`;
    }
  }
  close();
  return passages.slice(0, most);
}

/** At the ends of sentences or lines where there are such, else between words. */
function pieces(paragraph: string): readonly string[] {
  const found: string[] = [];
  let rest = paragraph;
  while (rest.length > longest) {
    const start = rest.slice(0, longest);
    const end = Math.max(start.lastIndexOf('\n'), start.lastIndexOf('. ') + 1, 0);
    const cut = end > short ? end : start.lastIndexOf(' ') > 0 ? start.lastIndexOf(' ') : wholeCharacters(start);
    found.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  return rest === '' ? found : [...found, rest];
}

/** A character of two units is not taken apart. */
function wholeCharacters(text: string): number {
  return /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
}

/** Of the text and of how it is cut. */
export function digestOf(text: string): string {
  return createHash('sha256').update(`1 ${longest} ${short}\n${text}`).digest('hex');
}
