// Runs every `.case` file: source text in, canonical text, diagnostics and model out. `UPDATE_CASES=1` rewrites what is expected.

import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { surfaceOf } from '../../src/config/project.ts';
import type { Diagnostic } from '../../src/diagnostics.ts';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { earlierFrontEnd } from '../../src/language/earlier/earlier.ts';
import type { FrontEnd, ReadResult } from '../../src/language/front-end.ts';
import type { Source } from '../../src/source.ts';
import { type Case, caseFiles, printCases, type Section, sameSourcesOf, sourcesOf } from './case-file.ts';

const update = process.env['UPDATE_CASES'] === '1';

for (const { path, name, cases } of caseFiles()) {
  describe(name, () => {
    const updated: Case[] = [];
    for (const each of cases) {
      test(each.title, async () => {
        const actual = await run(each);
        if (update) updated.push({ ...each, sections: merge(each.sections, actual) });
        else check(each, actual);
      });
    }
    afterAll(() => {
      if (updated.length === cases.length) writeFileSync(path, printCases(updated));
    });
  });
}

interface Outcome {
  readonly format: string;
  readonly diagnostics: string;
  readonly model: string;
  readonly faulty: boolean;
}

async function run(each: Case): Promise<Outcome> {
  const sources = sourcesOf(each);
  const read = sources.map((source) => frontEndOf(source).read(source));
  const linked = each.readOnly ? { diagnostics: [], model: '' } : await linkAndDescribe(each, read);
  const diagnostics = [...read.flatMap((result) => result.diagnostics), ...linked.diagnostics];
  const [first] = read;
  await checkSame(each, linked.model);
  return {
    format: first === undefined ? '' : frontEndOf(first.unit.source).print(first.unit),
    diagnostics: diagnostics.map((one) => `${line(one)}\n`).join(''),
    model: linked.model,
    faulty: diagnostics.some((one) => one.severity === 'error'),
  };
}

function frontEndOf(source: Source): FrontEnd {
  return surfaceOf(source) === 'earlier' ? earlierFrontEnd : currentFrontEnd;
}

/** The sections `same` hold the same model, written in the other surface. */
async function checkSame(each: Case, model: string): Promise<void> {
  const others = sameSourcesOf(each);
  if (others.length === 0) return;
  const read = others.map((source) => frontEndOf(source).read(source));
  const linked = await linkAndDescribe(each, read);
  const diagnostics = [...read.flatMap((result) => result.diagnostics), ...linked.diagnostics].filter((one) => one.severity === 'error');
  expect(diagnostics.map(line)).toEqual([]);
  expect(linked.model).toBe(model);
}

async function linkAndDescribe(each: Case, read: readonly ReadResult[]): Promise<{ diagnostics: readonly Diagnostic[]; model: string }> {
  const { link } = await import('../../src/model/link/link.ts');
  const { model, diagnostics } = link(read.map((result) => result.unit));
  if (model === undefined || !each.sections.some((section) => section.name === 'model')) return { diagnostics, model: '' };
  const { describeModel } = await import('./describe-model.ts');
  return { diagnostics, model: describeModel(model) };
}

function line({ file, line, column, severity, code, message, suggestion }: Diagnostic): string {
  return `${file}:${line}:${column} ${severity} ${code} ${message}${suggestion === undefined ? '' : ` | ${suggestion}`}`;
}

function check(each: Case, actual: Outcome): void {
  const expected = new Map(each.sections.map((section) => [section.name, section.body]));
  const format = expected.get('format');
  const diagnostics = expected.get('diagnostics');
  const model = expected.get('model');
  if (diagnostics !== undefined) expect(actual.diagnostics).toBe(diagnostics);
  else expect(actual.faulty ? actual.diagnostics : '').toBe('');
  if (format !== undefined) expect(actual.format).toBe(format);
  if (model !== undefined) expect(`${actual.model.trimEnd()}\n`).toBe(model);
}

function merge(sections: readonly Section[], actual: Outcome): readonly Section[] {
  const filled = sections.map((section) => {
    if (section.name === 'format') return { ...section, body: actual.format };
    if (section.name === 'diagnostics') return { ...section, body: actual.diagnostics };
    return section.name === 'model' ? { ...section, body: `${actual.model.trimEnd()}\n` } : section;
  });
  const told = sections.some((section) => section.name === 'diagnostics');
  return told || !actual.faulty ? filled : [...filled, { name: 'diagnostics', rest: '', body: actual.diagnostics }];
}
