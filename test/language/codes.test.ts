// Every code of the table of diagnostics is shown by a case, and no case speaks of another code.

import { expect, test } from 'vitest';
import { diagnosticCodes } from '../../src/diagnostics.ts';
import { caseFiles } from './case-file.ts';

/** Found outside of the language, by the tests of projects, imports and configurations. */
const testedElsewhere = ['document-unreadable', 'file-unreadable', 'import-external', 'import-unreadable', 'function-unknown'];

function isTestedElsewhere(code: string): boolean {
  return testedElsewhere.includes(code) || ['config-', 'project-', 'package-'].some((each) => code.startsWith(each));
}

function shownCodes(): ReadonlySet<string> {
  const bodies = caseFiles().flatMap(({ cases }) => cases.flatMap((each) => each.sections));
  const lines = bodies.filter((section) => section.name === 'diagnostics').flatMap((section) => section.body.split('\n'));
  return new Set(lines.filter((line) => line !== '').map((line) => /^\S+ (?:error|warning|note) (\S+)/.exec(line)?.[1] ?? line));
}

test('every diagnostic code has a case', () => {
  const shown = shownCodes();
  const missing = Object.keys(diagnosticCodes).filter((code) => !shown.has(code) && !isTestedElsewhere(code));
  expect(missing).toEqual([]);
});

test('every code in a case is in the table', () => {
  const known = new Set(Object.keys(diagnosticCodes));
  expect([...shownCodes()].filter((code) => !known.has(code))).toEqual([]);
});
