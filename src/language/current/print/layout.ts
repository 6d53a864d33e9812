// In charge of turning docs into lines: indentation, breaking what is too long, blank lines, and every comment at its place.

import type { Comment } from '../../../model/declaration.ts';
import type { Doc, Group, Item } from './doc.ts';

/** Items one below the other, with the comments of `text`, the source that their spans refer to. */
export function layOut(items: readonly Item[], text: string, comments: readonly Comment[]): string {
  const page: Page = {
    text,
    comments,
    comment: 0,
    pieces: [],
    column: 0,
    indent: 0,
    atStart: true,
    fresh: true,
    position: 0,
    limit: Number.POSITIVE_INFINITY,
  };
  renderItems(page, items, '', Number.POSITIVE_INFINITY);
  flushComments(page, Number.POSITIVE_INFINITY);
  return page.pieces.join('');
}

const width = 100;

interface Page {
  readonly text: string;
  readonly comments: readonly Comment[];
  /** Index of the next comment to write. */
  comment: number;
  readonly pieces: string[];
  column: number;
  indent: number;
  atStart: boolean;
  /** Nothing has been written yet inside the present brackets. */
  fresh: boolean;
  /** How far the source has been written. */
  position: number;
  /** Where the declaration ends that is written: brackets of another surface are not those that are looked for. */
  limit: number;
}

function write(page: Page, text: string): void {
  if (text === '') return;
  if (page.atStart) {
    page.pieces.push('  '.repeat(page.indent));
    page.column = page.indent * 2;
    page.atStart = false;
  }
  page.pieces.push(text);
  const lineBreak = text.lastIndexOf('\n');
  page.column = lineBreak === -1 ? page.column + text.length : text.length - lineBreak - 1;
}

function endLine(page: Page): void {
  page.pieces.push('\n');
  page.atStart = true;
  page.fresh = false;
}

function renderItems(page: Page, items: readonly Item[], separator: string, limit: number): void {
  for (const [index, item] of items.entries()) {
    const isLast = index === items.length - 1;
    const following = items[index + 1]?.span?.start ?? limit;
    let apart = item.apart === true;
    if (item.span !== undefined) apart = flushComments(page, item.span.start, apart);
    blankLine(page, item.span?.start ?? page.position, apart);
    if (page.indent === 0) page.limit = item.span?.end ?? Number.POSITIVE_INFINITY;
    render(page, item.doc);
    write(page, item.separator ?? (isLast ? '' : separator));
    page.position = Math.max(page.position, item.span?.end ?? 0);
    trailingComments(page, following);
    endLine(page);
  }
}

function render(page: Page, doc: Doc): void {
  if (typeof doc === 'string') write(page, doc);
  else if (doc.kind === 'group') renderGroup(page, doc);
  else for (const part of doc.parts) render(page, part);
}

function renderGroup(page: Page, group: Group): void {
  const end = endOf(page, group);
  const commented = (page.comments[page.comment]?.span.start ?? Number.POSITIVE_INFINITY) < end;
  if (group.flat !== undefined && !commented && (group.items.length === 0 || fits(page, group.flat))) {
    write(page, group.flat);
    return;
  }
  write(page, group.open);
  if (group.items.length > 0) openingComments(page, group, end);
  endLine(page);
  page.indent += 1;
  page.fresh = true;
  renderItems(page, group.items, group.separator, end);
  flushComments(page, end);
  page.indent -= 1;
  page.fresh = false;
  write(page, group.close);
  if (Number.isFinite(end)) page.position = Math.max(page.position, end);
}

function fits(page: Page, text: string): boolean {
  const lineBreak = text.indexOf('\n');
  const start = page.atStart ? page.indent * 2 : page.column;
  return start + (lineBreak === -1 ? text.length : lineBreak) <= width;
}

/** The offset behind the closing bracket: as known, or looked for in the source when there are comments to be placed by it. */
function endOf(page: Page, group: Group): number {
  if (group.end !== undefined) return group.end;
  if (page.comment >= page.comments.length) return Number.POSITIVE_INFINITY;
  // Nothing is known of where it stood: no comment belongs to it.
  if (group.items.length === 0 && group.start === undefined) return 0;
  const last = group.items.at(-1)?.span?.end ?? group.start ?? page.position;
  let from = Math.max(last, 0);
  for (const comment of page.comments.slice(page.comment)) {
    const found = page.text.indexOf(group.close, from);
    if (found === -1 || found < comment.span.start) return Math.min(found === -1 ? from : found + 1, page.limit);
    from = Math.max(from, comment.span.end);
  }
  const found = page.text.indexOf(group.close, from);
  return Math.min(found === -1 ? from : found + 1, page.limit);
}

/** Comments before `limit` on lines of their own. Returns whether a blank line is still owed. */
function flushComments(page: Page, limit: number, apart = false): boolean {
  let owed = apart;
  for (
    let comment = page.comments[page.comment];
    comment !== undefined && comment.span.start < limit;
    comment = page.comments[page.comment]
  ) {
    blankLine(page, comment.span.start, owed);
    owed = false;
    write(page, commentText(comment, page.indent));
    endLine(page);
    page.comment += 1;
    page.position = Math.max(page.position, comment.span.end);
  }
  return owed;
}

/** A blank line where the author had one, or where one is owed. */
function blankLine(page: Page, start: number, owed: boolean): void {
  if (page.fresh) return;
  if (owed || /\n[^\S\n]*\n/.test(page.text.slice(page.position, start))) page.pieces.push('\n');
}

/** Comments that begin on the line where the last item ended stay there. */
function trailingComments(page: Page, limit: number): void {
  for (
    let comment = page.comments[page.comment];
    comment !== undefined && comment.span.start < limit;
    comment = page.comments[page.comment]
  ) {
    if (page.text.slice(page.position, comment.span.start).includes('\n')) return;
    if (writeBeside(page, comment)) return;
  }
}

/** Comments between the head of a group and its first item, on the line of the opening bracket. */
function openingComments(page: Page, group: Group, end: number): void {
  const start = Math.max(group.start ?? 0, page.position);
  const limit = group.items[0]?.span?.start ?? end;
  for (
    let comment = page.comments[page.comment];
    comment !== undefined && comment.span.start < limit;
    comment = page.comments[page.comment]
  ) {
    if (page.text.slice(start, comment.span.start).includes('\n')) return;
    if (writeBeside(page, comment)) return;
  }
}

/** Returns whether the line is full: nothing can follow a line comment. */
function writeBeside(page: Page, comment: Comment): boolean {
  const text = commentText(comment, page.indent);
  write(page, ` ${text}`);
  page.comment += 1;
  page.position = Math.max(page.position, comment.span.end);
  return text.startsWith('//');
}

/** As written, with a star margin moved to the present indentation; a comment of another surface becomes a line comment. */
function commentText(comment: Comment, indent: number): string {
  const lines = comment.text.split(/\r?\n/).map((line) => line.trimEnd());
  const margin = '  '.repeat(indent);
  if (comment.text.startsWith('//')) return lines.join('');
  if (!comment.text.startsWith('/*'))
    return lines.map((line) => `// ${line.replace(/^\s*(?:;+|#_?)?\s?/, '')}`.trimEnd()).join(`\n${margin}`);
  const starred = lines.slice(1).every((line) => line.trimStart().startsWith('*'));
  return starred ? lines.map((line, index) => (index === 0 ? line : `${margin} ${line.trimStart()}`)).join('\n') : lines.join('\n');
}
