// In charge of turning nodes into lines: what fits stands on one line, what does not is broken, and every comment stays near its place.

import type { Comment } from '../../../model/declaration.ts';
import type { Span } from '../../../source.ts';

export type Node = string | Branch;

/** Items in brackets. */
export interface Branch {
  readonly open: string;
  readonly close: string;
  readonly items: readonly Item[];
  /** How many items stay on the line of the opening bracket when it is broken; the others are indented by two. */
  readonly head: number;
  /** Each item stands on a line of its own, however short it is. */
  readonly broken: boolean;
  /** On one line; longer ones than a line are not kept. */
  readonly flat: string | undefined;
  /** Where the brackets end in the source, if comments stay between the items; elsewhere they are put in front of the whole. */
  readonly end: number | undefined;
  /** Comments before this offset stand in front of the brackets, not behind the opening one. */
  readonly hoist: number | undefined;
}

export interface Item {
  readonly node: Node;
  /** What stands beside it in a map. */
  readonly value?: Node;
  readonly span?: Pick<Span, 'start' | 'end'>;
  /** The value may stand below, where it fits on a line of its own. */
  readonly wraps?: true;
}

export const width = 100;

interface Style {
  readonly head?: number;
  readonly broken?: boolean;
  /** The end in the source of brackets whose items keep their comments. */
  readonly end?: number;
}

export function branch(brackets: string, items: readonly Item[], style: Style = {}): Branch {
  const close = brackets.slice(-1);
  const open = brackets.slice(0, -1);
  const { head = 1, broken = false, end } = style;
  const flat = broken && items.length > head ? undefined : flatItems(items);
  const hoist = end !== undefined && head === 1 ? items[0]?.span?.end : undefined;
  return { open, close, items, head, broken, flat: flat === undefined ? undefined : `${open}${flat}${close}`, end, hoist };
}

function flatItems(items: readonly Item[]): string | undefined {
  const texts: string[] = [];
  let length = 0;
  for (const { node, value } of items) {
    for (const each of value === undefined ? [node] : [node, value]) {
      const text = typeof each === 'string' ? each : each.flat;
      length += text?.length ?? 0;
      if (text === undefined || text.includes('\n') || length > width) return undefined;
      texts.push(text);
    }
  }
  return texts.join(' ');
}

/** Items one below the other, with the comments of the source that their spans refer to. */
export function layOut(items: readonly Item[], text: string, comments: readonly Comment[]): string {
  const page: Page = { text, comments, comment: 0, pieces: [], column: 0, position: 0 };
  let before: Item | undefined;
  for (const [index, item] of items.entries()) {
    separate(page, before, item);
    if (flushBefore(page, limitOf(item)) && item.span !== undefined && hasBlankLine(page, item.span.start)) write(page, '\n');
    render(page, item.node, 0);
    page.position = Math.max(page.position, item.span?.end ?? 0);
    trailing(page, items[index + 1]?.span?.start ?? Number.POSITIVE_INFINITY);
    if (page.column > 0) write(page, '\n');
    before = item;
  }
  if (nextComment(page) !== undefined && before !== undefined && hasBlankLine(page, nextComment(page)?.span.start ?? 0)) write(page, '\n');
  flushBefore(page, Number.POSITIVE_INFINITY);
  return page.pieces.join('');
}

interface Page {
  readonly text: string;
  readonly comments: readonly Comment[];
  /** Index of the next comment to write. */
  comment: number;
  readonly pieces: string[];
  column: number;
  /** How far the source has been written. */
  position: number;
}

/** Declarations stand apart, but for short ones that their author has put together. */
function separate(page: Page, before: Item | undefined, item: Item): void {
  if (before === undefined) return;
  const start = Math.min(nextComment(page)?.span.start ?? Number.POSITIVE_INFINITY, item.span?.start ?? 0);
  const isShort = ({ node }: Item) => {
    const flat = typeof node === 'string' ? node : node.flat;
    return flat !== undefined && flat.length <= width && !flat.includes('\n');
  };
  const together = isShort(before) && isShort(item) && !hasBlankLine(page, start) && start > page.position;
  if (!together) write(page, '\n');
}

function nextComment({ comments, comment }: Page): Comment | undefined {
  return comments[comment];
}

function hasBlankLine({ text, position }: Page, start: number): boolean {
  return /\n[^\S\n]*\n/.test(text.slice(position, start));
}

function write(page: Page, text: string): void {
  page.pieces.push(text);
  const lineBreak = text.lastIndexOf('\n');
  page.column = lineBreak === -1 ? page.column + text.length : text.length - lineBreak - 1;
}

function newLine(page: Page, indent: number): void {
  write(page, `\n${' '.repeat(indent)}`);
}

/** `behind` is how many characters must fit on the line after it. */
function render(page: Page, node: Node, behind: number): void {
  if (typeof node === 'string') write(page, node);
  else if (node.flat !== undefined && !isCommented(page, node) && page.column + node.flat.length + behind <= width) write(page, node.flat);
  else renderBroken(page, node, behind);
}

function nextStart(page: Page): number {
  return nextComment(page)?.span.start ?? Number.POSITIVE_INFINITY;
}

function isCommented(page: Page, { end }: Branch): boolean {
  return end !== undefined && nextStart(page) < end;
}

/** Comments before this offset stand in front of the item. */
function limitOf({ node, span }: Item): number {
  if (typeof node === 'string' || node.end === undefined) return span?.end ?? 0;
  return node.hoist ?? span?.start ?? 0;
}

function renderBroken(page: Page, node: Branch, behind: number): void {
  const { open, close, items, head, end } = node;
  const indent = page.column + (head > 1 ? 2 : open.length);
  const keeps = end !== undefined;
  write(page, open);
  for (const [index, item] of items.entries()) {
    const commented = keeps && index > 0 && nextStart(page) < limitOf(item);
    if (index > 0 && index < head && !commented) write(page, ' ');
    else if (index > 0) newLine(page, indent);
    if (commented) flushInside(page, limitOf(item), indent);
    renderItem(page, item, index === items.length - 1 ? behind + close.length : 0, indent);
    if (!keeps) continue;
    page.position = Math.max(page.position, item.span?.end ?? 0);
    if (item.span !== undefined) trailing(page, items[index + 1]?.span?.start ?? end);
  }
  if (keeps && nextStart(page) < end) {
    newLine(page, indent);
    flushInside(page, end, indent);
  } else if (endsInComment(page)) newLine(page, indent);
  write(page, close);
  if (keeps) page.position = Math.max(page.position, end);
}

function renderItem(page: Page, { node, value, wraps }: Item, behind: number, indent: number): void {
  render(page, node, value === undefined ? behind : 0);
  if (value === undefined) return;
  const length = typeof value === 'string' ? 0 : (value.flat?.length ?? width) + behind;
  const isBelow = wraps === true && page.column + 1 + length > width && indent + length <= width;
  if (isBelow) newLine(page, indent);
  else write(page, ' ');
  render(page, value, behind);
}

function endsInComment({ pieces }: Page): boolean {
  const last = pieces.at(-1) ?? '';
  return /^ ?;/.test(last);
}

/** Comments before `limit` on lines of their own, outside of brackets. Returns whether there were any. */
function flushBefore(page: Page, limit: number): boolean {
  let found = false;
  for (let comment = nextComment(page); comment !== undefined && comment.span.start < limit; comment = nextComment(page)) {
    if (found && hasBlankLine(page, comment.span.start)) write(page, '\n');
    write(page, `${commentText(comment, 0)}\n`);
    found = true;
    taken(page, comment);
  }
  return found;
}

/** As `flushBefore`, inside of brackets: each is followed by a new line for what comes next. */
function flushInside(page: Page, limit: number, indent: number): void {
  for (let comment = nextComment(page); comment !== undefined && comment.span.start < limit; comment = nextComment(page)) {
    write(page, commentText(comment, indent));
    newLine(page, indent);
    taken(page, comment);
  }
}

/** Comments that begin on the line where the last item ended stay there. */
function trailing(page: Page, limit: number): void {
  for (let comment = nextComment(page); comment !== undefined && comment.span.start < limit; comment = nextComment(page)) {
    if (page.text.slice(page.position, comment.span.start).includes('\n')) return;
    const text = commentText(comment, 0);
    if (endsInComment(page) || text.includes('\n')) return;
    write(page, ` ${text}`);
    taken(page, comment);
  }
}

function taken(page: Page, comment: Comment): void {
  page.comment += 1;
  page.position = Math.max(page.position, comment.span.end);
}

/** As written; a comment of the other surface becomes a line comment. */
function commentText({ text }: Comment, indent: number): string {
  if (text.startsWith(';') || text.startsWith('#_') || text.startsWith('#!')) return text.trimEnd();
  const inner = text.startsWith('/*') ? text.slice(2).replace(/\*\/$/, '') : text.replace(/^\/\/+/, '');
  const lines = inner.split(/\r?\n/).map((line) => line.trim().replace(/^\*+\s?/, ''));
  const kept = lines.filter((line, index) => line !== '' || (index > 0 && index < lines.length - 1));
  return (kept.length === 0 ? [''] : kept).map((line) => `; ${line}`.trimEnd()).join(`\n${' '.repeat(indent)}`);
}
