// Collects the faults that linking finds, in the order of the text.

import { type Diagnostic, type DiagnosticCode, diagnostic, nearest } from '../diagnostics.ts';
import type { Span } from '../source.ts';

export interface FaultReport {
  fault(code: DiagnosticCode, span: Span, message: string, suggestion?: string): void;
  /** A fault about a name, with the nearest of the known ones as suggestion. */
  unknown(code: DiagnosticCode, span: Span, message: string, name: string, known: Iterable<string>): void;
  /** Whether a fault has been told that begins inside of this place. */
  isTold(span: Span): boolean;
  diagnostics(): readonly Diagnostic[];
}

/** Searching a near name among all known ones is slow; a model with more unknown names than this has another problem. */
const mostSuggestions = 100;

export function didYouMean(name: string): string {
  return `did you mean \`${name}\`?`;
}

/** What is to be written is said in the words of the current surface: it is no help in a text of the earlier one. */
function isSpoken(suggestion: string | undefined, { source, start }: Span): boolean {
  return !(suggestion !== undefined && /^(?:write|mark it|call it) /.test(suggestion) && /[:(]/.test(source.text.charAt(start)));
}

/** `files` in the order in which their faults are told. */
export function openFaultReport(sources: readonly string[] = []): FaultReport {
  const found: { readonly order: number; readonly span: Span; readonly diagnostic: Diagnostic }[] = [];
  const files = new Map(sources.map((file, index) => [file, index]));
  let suggestions = 0;

  const fault = (code: DiagnosticCode, span: Span, message: string, suggestion?: string) => {
    const file = files.get(span.source.file) ?? files.size;
    files.set(span.source.file, file);
    found.push({ order: file, span, diagnostic: diagnostic(code, span, message, isSpoken(suggestion, span) ? suggestion : undefined) });
  };
  return {
    fault,
    unknown(code, span, message, name, known) {
      suggestions += 1;
      const near = suggestions > mostSuggestions ? undefined : nearest(name, known);
      fault(code, span, message, near === undefined ? undefined : didYouMean(near));
    },
    isTold: ({ source, start, end }) =>
      found.some(({ span }) => span.source === source && span.start >= start && (span.start < end || span.start === start)),
    diagnostics: () => found.sort((a, b) => a.order - b.order || a.span.start - b.span.start).map((each) => each.diagnostic),
  };
}

/** A report that tells nothing at a place where the same has been told. */
export function onlyNew(report: FaultReport): FaultReport {
  const known = new Set(report.diagnostics().map(({ file, line, column, code }) => `${file}:${line}:${column} ${code}`));
  const isNew: FaultReport['fault'] = (code, span, message, suggestion) => {
    const { file, line, column } = diagnostic(code, span, message);
    if (!known.has(`${file}:${line}:${column} ${code}`)) report.fault(code, span, message, suggestion);
  };
  return { ...report, fault: isNew, unknown: (code, span, message) => isNew(code, span, message) };
}
