// Scenarios of forms again, with their models converted to the other syntax: both say the same, and so do the answers. A fourth of them in the short form.

import { expect, test } from 'vitest';
import { convertUnit } from '../../src/language/convert.ts';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { readLocalUnit } from '../../src/language/earlier/lower/lower.ts';
import { currentTables } from '../dataflow/forms/current.ts';
import { currentForms } from '../dataflow/forms/current-library.ts';
import { earlierTables } from '../dataflow/forms/earlier.ts';
import { earlierForms } from '../dataflow/forms/earlier-library.ts';
import { type FormRow, type FormTables, runForms, type Syntax } from '../dataflow/forms/form.ts';
import type { Project } from '../support/app.ts';
import { sampled } from '../support/form.ts';

interface Converted {
  readonly project: Project;
  readonly missing: readonly string[];
}

/** Each is asked for three times: what is lost, whether it is run, and to run it. */
const known = new Map<string, Converted>();

function converted(project: Project): Converted {
  const key = JSON.stringify(project);
  const found = known.get(key) ?? conversionOf(project);
  known.set(key, found);
  return found;
}

function conversionOf(project: Project): Converted {
  const missing: string[] = [];
  const files = Object.entries(typeof project === 'string' ? { 'core.al': project } : project).map(([file, text]) => {
    if (!file.endsWith('.al') && !file.endsWith('.platform')) return [file, text];
    const source = { file, text };
    const toCurrent = file.endsWith('.platform');
    const { unit } = toCurrent ? readLocalUnit(source) : currentFrontEnd.read(source);
    const result = convertUnit(unit, toCurrent ? 'current' : 'earlier');
    missing.push(...result.missing.map((each) => each.what));
    return [`converted.${toCurrent ? 'al' : 'platform'}`, result.text];
  });
  return { project: Object.fromEntries(files), missing };
}

function convertedSyntax(syntax: Syntax): Syntax {
  return { ...syntax, project: (row) => converted(syntax.project(row)).project };
}

/** Without what only the one syntax can say. */
function convertible(tables: FormTables, { project }: Syntax): FormTables {
  const says = (row: FormRow) => converted(project(row)).missing.length === 0;
  return Object.fromEntries(Object.entries(tables).map(([group, rows]) => [`${group}, converted`, sampled(rows.filter(says), 4)]));
}

function missingIn(tables: FormTables, { project }: Syntax): readonly string[] {
  const rows = Object.values(tables).flat();
  return [...new Set(rows.flatMap((row) => converted(project(row)).missing))].sort();
}

test('a workflow loses nothing when it is converted', () => {
  expect(missingIn(currentTables, currentForms)).toEqual([]);
});

test('a dataflow loses only what workflows have no word for, and that is told', () => {
  const words = [
    ':eval with :check',
    ':rethrow-after',
    'a function in Clojure',
    'a path query',
    'a query object',
    'a relationship pattern (:->)',
    'quoted data',
  ];
  expect(missingIn(earlierTables, earlierForms)).toEqual(words);
});

runForms(convertible(currentTables, currentForms), convertedSyntax(currentForms));
runForms(convertible(earlierTables, earlierForms), convertedSyntax(earlierForms));
