// The source of a model in pieces that are coloured by what they are. It only looks at letters: whatever is written, every character of it is shown.

export interface Piece {
  readonly kind: 'plain' | 'comment' | 'text' | 'number' | 'word' | 'annotation' | 'type';
  readonly text: string;
}

const words =
  'module|import|entity|event|record|relationship|contains|between|extends|workflow|agent|flow|decision|case|default|directive|scenario|glossaryEntry|resolver|retry|role|if|else|for|in|throw|return|await|not|and|or|like|true|false|null';

const current = new RegExp(
  [
    '(?<comment>//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$))',
    '(?<text>"(?:\\\\.|[^"\\\\\\n])*"?|`[^`]*`?)',
    '(?<annotation>@[\\w.]+)',
    '(?<number>\\b\\d[\\d.]*\\b)',
    `(?<word>\\b(?:${words})\\b)`,
    '(?<type>\\b[A-Z]\\w*\\b)',
  ].join('|'),
  'g',
);

const earlier =
  /(?<comment>;[^\n]*)|(?<text>"(?:\\.|[^"\\])*"?)|(?<annotation>:[\w.\-/?*+!<>=#&]+)|(?<number>\b\d[\d.]*M?\b)|(?<word>(?<=\()[\w\-.!?*+<>=/]+)/g;

export function piecesOf(file: string, text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(file.endsWith('.al') ? current : earlier)) {
    if (match.index > end) pieces.push({ kind: 'plain', text: text.slice(end, match.index) });
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? ['plain'];
    pieces.push({ kind: kindOf(kind), text: match[0] });
    end = match.index + match[0].length;
  }
  return [...pieces, { kind: 'plain', text: text.slice(end) }];
}

function kindOf(name: string): Piece['kind'] {
  switch (name) {
    case 'comment':
    case 'text':
    case 'number':
    case 'word':
    case 'annotation':
    case 'type':
      return name;
    default:
      return 'plain';
  }
}

/** The pieces of each line: one over several lines is cut at their ends. */
export function linesOf(file: string, text: string): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [[]];
  for (const { kind, text: whole } of piecesOf(file, text.replaceAll('\r\n', '\n'))) {
    for (const [at, part] of whole.split('\n').entries()) {
      if (at > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ kind, text: part });
    }
  }
  return lines;
}
