// Diagnostics for people: where, what, the line of the text with a caret below it, and what to do.

import { isAbsolute, relative } from 'node:path';
import type { Diagnostic } from '../diagnostics.ts';
import { reservedModules } from '../model/builtin.ts';
import type { Model } from '../model/model.ts';
import type { Source } from '../source.ts';
import type { Colours } from './terminal.ts';

export interface ReportOptions {
  readonly sources: readonly Source[];
  readonly folder: string;
  readonly colours: Colours;
}

export function report(diagnostics: readonly Diagnostic[], options: ReportOptions): string {
  const textOf = new Map(options.sources.map((source) => [source.file, source.text]));
  const blocks = inOrder(diagnostics).map((each) => block(each, textOf.get(each.file), options));
  return [...blocks, summary(diagnostics)].join('\n');
}

/** What `check --json` prints. */
export function reportJson(diagnostics: readonly Diagnostic[], folder: string): string {
  const entries = inOrder(diagnostics).map(({ file, line, column, code, severity, message, suggestion }) => {
    const base = { file: shownPath(file, folder), line, column, code, severity, message };
    return suggestion === undefined ? base : { ...base, suggestion };
  });
  return JSON.stringify(entries, undefined, 2);
}

/** Relative to the folder when the file is below it. */
export function shownPath(file: string, folder: string): string {
  const path = relative(folder, file);
  return path === '' || path.startsWith('..') || isAbsolute(path) ? file : path;
}

/** What somebody has sent says nothing to the terminal itself. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);
}

export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const order = (a: Diagnostic, b: Diagnostic) => (a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1);
  return [...diagnostics].sort(order);
}

function block(each: Diagnostic, text: string | undefined, { folder, colours }: ReportOptions): string {
  const severity = { error: colours.red, warning: colours.yellow, note: colours.cyan }[each.severity](each.severity);
  const place = `${shownPath(each.file, folder)}:${each.line}:${each.column}`;
  const lines = [`${colours.bold(place)}  ${severity}  ${colours.dim(each.code)}  ${each.message}`];
  const line = text?.split('\n')[each.line - 1]?.trimEnd();
  if (line !== undefined && line !== '') lines.push(...excerpt(line, each.column, colours));
  if (each.suggestion !== undefined) lines.push(`    ${colours.cyan(each.suggestion)}`);
  return lines.join('\n');
}

const widest = 160;

/** The line and a caret; of a very long line the part around the column. */
function excerpt(line: string, column: number, colours: Colours): readonly string[] {
  const from = column > widest - 20 ? column - 20 : 0;
  const part = line.slice(from, from + widest);
  // Tabs stay tabs, so that the caret stands below its character.
  const padding = part.slice(0, column - 1 - from).replace(/[^\t]/g, ' ');
  return [`    ${part}`, `    ${padding}${colours.red('^')}`];
}

function summary(diagnostics: readonly Diagnostic[]): string {
  const parts = (['error', 'warning', 'note'] as const).flatMap((severity) => {
    const count = diagnostics.filter((each) => each.severity === severity).length;
    return count > 0 ? [counted(count, severity)] : [];
  });
  return parts.join(', ');
}

/** What stands in a model, without what the service brings. */
export function contentOf({ entities, relationships }: Model): string {
  const own = [...entities.values()].filter((each) => each.system === undefined);
  const links = [...relationships.values()].filter(({ module }) => !reservedModules.has(module));
  return `${counted(own.length, 'entity', 'entities')}, ${counted(links.length, 'relationship')}`;
}
