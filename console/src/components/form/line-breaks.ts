// Line breaks in fields. A browser has one kind of them: those of a text that has others are kept, however it is edited.

/** As a field shows it. */
export function shownBreaks(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** What was typed over a text: what stays of it stays as it was, new breaks are of its kind. */
export function typedInto(old: string, typed: string): string {
  if (!old.includes('\r')) return typed;
  const shown = shownBreaks(old);
  const most = Math.min(shown.length, typed.length);
  let begin = 0;
  while (begin < most && shown[begin] === typed[begin]) begin += 1;
  let end = 0;
  while (end < most - begin && shown.at(-1 - end) === typed.at(-1 - end)) end += 1;
  const isWindows = /\r/.test(old) && !/\r(?!\n)|(?<!\r)\n/.test(old);
  const middle = typed.slice(begin, typed.length - end);
  const [first, last] = [placeIn(old, begin), placeIn(old, shown.length - end)];
  const head = old.slice(0, first);
  const tail = (isWindows ? middle.replaceAll('\n', '\r\n') : middle) + old.slice(last);
  // Two breaks that come to stand side by side stay two.
  return head.endsWith('\r') && tail.startsWith('\n') ? `${head.slice(0, -1)}\n${tail}` : head + tail;
}

/** Where the character stands that is shown at a place. */
function placeIn(old: string, shown: number): number {
  let at = 0;
  for (let count = 0; count < shown; count += 1) at += old[at] === '\r' && old[at + 1] === '\n' ? 2 : 1;
  return at;
}
