// The one table of faults that a model or a configuration can have, and how a fault becomes a diagnostic.

import { positionOf, type Span } from './source.ts';

export type Severity = 'error' | 'warning' | 'note';

export interface Diagnostic {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly message: string;
  readonly suggestion?: string;
}

/** Every code with its severity. A code without a `.case` fails the language tests. */
export const diagnosticCodes = {
  // reading text
  'character-unexpected': 'error',
  'text-unclosed': 'error',
  'comment-unclosed': 'error',
  'number-malformed': 'error',
  'nesting-too-deep': 'error',
  'token-unexpected': 'error',
  'module-missing': 'error',
  'module-repeated': 'error',
  'declaration-unknown': 'error',
  'annotation-unknown': 'error',
  'annotation-misplaced': 'error',
  'annotation-repeated': 'error',
  'annotation-argument': 'error',
  'annotation-ignored': 'warning',
  'form-ignored': 'warning',
  'between-order': 'warning',
  'role-assumed': 'error',
  // names
  'name-unknown': 'error',
  'name-malformed': 'error',
  'name-repeated': 'error',
  'name-case': 'error',
  'name-too-long': 'error',
  'name-reserved': 'error',
  'module-reserved': 'error',
  'import-unused': 'warning',
  'import-external': 'warning',
  'import-unreadable': 'error',
  'function-unknown': 'error',
  'function-arguments': 'error',
  // types and attributes
  'type-unknown': 'error',
  'type-missing': 'error',
  'type-not-allowed': 'error',
  'attribute-unknown': 'error',
  'attribute-repeated': 'error',
  'default-invalid': 'error',
  'format-invalid': 'error',
  'enum-empty': 'error',
  'enum-repeated': 'error',
  'identifier-repeated': 'error',
  'identifier-type': 'error',
  'identifier-optional': 'error',
  'extends-cycle': 'error',
  'extends-kind': 'error',
  'record-cycle': 'error',
  'reference-not-unique': 'error',
  'expression-cycle': 'error',
  'expression-list': 'error',
  // relationships
  'end-unknown': 'error',
  'end-kind': 'error',
  'roles-required': 'error',
  'roles-repeated': 'error',
  'contains-cycle': 'error',
  'contains-attributes': 'error',
  'path-ambiguous': 'error',
  // logic
  'workflow-repeated': 'error',
  'pattern-type': 'error',
  'pattern-mixed': 'error',
  'pattern-unavailable': 'error',
  'pattern-secret': 'error',
  'join-undecided': 'error',
  'alias-unknown': 'error',
  'value-type': 'error',
  'attribute-missing': 'error',
  'value-inexact': 'warning',
  'value-unlikely': 'warning',
  'comparison-never': 'warning',
  'argument-type': 'warning',
  'flow-step-unknown': 'error',
  'flow-step-unreachable': 'error',
  'flow-without-start': 'error',
  'flow-route-repeated': 'error',
  'flow-label-unknown': 'error',
  'agent-not-asked-here': 'error',
  'agent-field-unknown': 'error',
  'agent-field-type': 'error',
  'agent-field-missing': 'error',
  'llm-unknown': 'warning',
  'agent-beside-workflow': 'warning',
  'workflow-in-parts': 'note',
  'document-unreadable': 'warning',
  'tool-unknown': 'error',
  'resolver-method-unknown': 'error',
  'resolver-method-uncalled': 'warning',
  'rbac-operation-unknown': 'error',
  'package-version': 'warning',
  'package-module-repeated': 'error',
  'package-missing': 'error',
  'package-library-missing': 'warning',
  'schedule-invalid': 'error',
  'timer-invalid': 'error',
  'rbac-never': 'error',
  'rbac-condition': 'error',
  'rbac-path': 'error',
  'rbac-empty': 'warning',
  'rbac-contradiction': 'warning',
  'rbac-unindexed': 'warning',
  'rbac-self-made': 'warning',
  'rbac-address': 'note',
  'profile-invalid': 'error',
  'rbac-ineffective': 'warning',
  'rbac-narrowed': 'note',
  'rbac-inherit': 'error',
  'rbac-attribute-required': 'error',
  'rbac-attribute-shown': 'note',
  'role-similar': 'warning',
  'owner-takes-over': 'warning',
  'run-as-unknown': 'error',
  'trigger-as-system': 'note',
  'internal-open': 'warning',
  'run-narrowed': 'note',
  'run-unasked': 'note',
  'trigger-operation-unknown': 'error',
  // project and configuration
  'file-unreadable': 'error',
  'project-empty': 'error',
  'project-key-missing': 'error',
  'project-version': 'error',
  'project-version-missing': 'warning',
  'project-component-missing': 'error',
  'project-component-differs': 'error',
  'project-dependency': 'error',
  'config-invalid': 'error',
  'config-key-unknown': 'error',
  'config-key-ignored': 'warning',
  'config-value': 'error',
  'config-expression': 'error',
  'config-unset': 'warning',
  'config-not-available': 'error',
  'config-password': 'warning',
  'config-operation-ignored': 'warning',
  'config-server-unreached': 'warning',
} as const satisfies Record<string, Severity>;

export type DiagnosticCode = keyof typeof diagnosticCodes;

export function diagnostic(code: DiagnosticCode, span: Span, message: string, suggestion?: string): Diagnostic {
  const base = { file: span.source.file, ...positionOf(span), code, severity: diagnosticCodes[code], message };
  return suggestion === undefined ? base : { ...base, suggestion };
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((each) => each.severity === 'error');
}

/** "did you mean": the known name nearest to `name`, when it is near enough to be a slip of the hand. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  // In a very short word every change makes another word: only its case can be a slip.
  let bestDistance = name.length <= 2 ? 1 : Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = candidate.toLowerCase() === name.toLowerCase() ? 0 : editDistance(name, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Whether two different names are so near that one of them may be a slip of the hand: one letter, or the case of letters. */
export function isSlip(one: string, other: string): boolean {
  if (one.toLowerCase() === other.toLowerCase()) return true;
  const isShort = Math.min(one.length, other.length) <= 2;
  // `tier1` and `tier2` are numbered, not misspelt.
  const areNumbered = one.replace(/\d/g, '') === other.replace(/\d/g, '');
  return !isShort && !areNumbered && editDistance(one, other) === 1;
}

/** Number of insertions, deletions, replacements and swaps of neighbours that lead from one word to the other. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const cost = from[i - 1] === to[j - 1] ? 0 : 1;
      let distance = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        distance = Math.min(distance, (beforePrevious[j - 2] ?? 0) + 1);
      }
      current.push(distance);
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[to.length] ?? 0;
}
