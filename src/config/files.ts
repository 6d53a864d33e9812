// What lies in folders: sources of models, read as texts; what cannot be read is told.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type Diagnostic, type DiagnosticCode, diagnostic } from '../diagnostics.ts';
import type { Source } from '../source.ts';

export type Kind = 'folder' | 'file' | 'missing';

export function kindOf(path: string): Kind {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'missing';
  return stats.isDirectory() ? 'folder' : 'file';
}

/** `src/**` + `/*.al`, sorted, so that the order of the sources is the same on every machine. */
export function sourceFiles(folder: string): readonly string[] {
  const below = (directory: string): readonly string[] =>
    readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.name.startsWith('.') || entry.name === 'node_modules') return [];
      if (kindOf(path) === 'folder') return entry.isSymbolicLink() ? [] : below(path);
      return extname(entry.name) === '.al' ? [path] : [];
    });
  const root = join(folder, 'src');
  return kindOf(root) === 'folder' ? [...below(root)].sort() : [];
}

export function readSource(file: string, diagnostics: Diagnostic[]): Source | undefined {
  try {
    // Without the byte-order mark that some editors put in front.
    return { file, text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)) };
  } catch (thrown) {
    diagnostics.push(about(file, 'file-unreadable', `the file cannot be read (${reason(thrown)})`));
    return undefined;
  }
}

export function about(file: string, code: DiagnosticCode, message: string, suggestion?: string): Diagnostic {
  return diagnostic(code, { source: { file, text: '' }, start: 0, end: 0 }, message, suggestion);
}

function reason(thrown: unknown): string {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : 'unknown reason';
  return code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : code;
}
