// A model is the same model in either surface: converted there, and back.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics.ts';
import { convertUnit, type Surface } from '../../src/language/convert.ts';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { earlierFrontEnd } from '../../src/language/earlier/earlier.ts';
import { readLocalUnit } from '../../src/language/earlier/lower/lower.ts';
import type { ReadResult } from '../../src/language/front-end.ts';
import { link } from '../../src/model/link/link.ts';
import { isLarge } from '../support/form.ts';
import { caseFiles, sameSourcesOf, sourcesOf } from './case-file.ts';
import { describeModel } from './describe-model.ts';
import { modelText } from './generate-model.ts';
import { currentValue, earlierValue } from './generate-values.ts';

const numRuns = isLarge ? 1_000 : 70;

describe('a model of the current surface', () => {
  test('is the same in the earlier one, and back again', () => {
    fc.assert(
      fc.property(modelText, (text) => {
        const first = modelOf(currentFrontEnd.read({ file: 'a.al', text }));
        expect(first).toHaveProperty('model');
        const earlier = convertUnit(currentFrontEnd.read({ file: 'a.al', text }).unit, 'earlier');
        expect(earlier.missing).toEqual([]);
        const there = { file: 'a.clj', text: earlier.text };
        expect([earlier.text, modelOf(earlierFrontEnd.read(there))]).toEqual([earlier.text, first]);
        const current = convertUnit(readLocalUnit(there).unit, 'current');
        expect(current.missing).toEqual([]);
        expect([current.text, modelOf(currentFrontEnd.read({ file: 'a.al', text: current.text }))]).toEqual([current.text, first]);
      }),
      { numRuns },
    );
  });
});

describe('a value', () => {
  test('of the module syntax is the same in the earlier one, and back again', () => {
    fc.assert(
      fc.property(currentValue, (value) => staysThe('current', `module M\n\nworkflow Made {\n  [${value}]\n}\n`)),
      { numRuns },
    );
  });

  test('of the earlier syntax is the same in the module syntax, and back again', () => {
    fc.assert(
      fc.property(earlierValue, (value) => staysThe('earlier', `(component :M)\n\n(dataflow :Made [:value '(str [${value}])])\n`)),
      { numRuns },
    );
  });

  const spellings = [
    ['a + b', '(text+ :a :b)'],
    ['add(a, b)', '(+ :a :b)'],
    ['add(a, b, c)', '(+ :a :b :c)'],
    ['add(a + b, c)', '(+ (text+ :a :b) :c)'],
    ['1 + 2', '(+ 1 2)'],
    ['a * 2 + 1', '(+ (* :a 2) 1)'],
    ['"x" + a + 1.50', '(text+ "x" :a 1.50)'],
    ['a - b', '(- :a :b)'],
    ['a == b', '(type= :a :b)'],
    ['a != 1', '(type-not= :a 1)'],
    ['a == "open"', '(= :a "open")'],
    ['same(a, b)', '(= :a :b)'],
    ['same(a, "1")', '(= :a "1")'],
    ['differ(a, b)', '(not= :a :b)'],
    ['1 == 2', '(= 1 2)'],
    ['-a', '(- :a)'],
  ] as const;
  for (const [current, earlier] of spellings) {
    test(`is ${current} in the module syntax and ${earlier} in the earlier one`, () => {
      const there = convertUnit(read('current', `module M\n\nworkflow Made {\n  [${current}]\n}\n`).unit, 'earlier').text;
      expect(there).toContain(`['${earlier}]`);
      expect(convertUnit(read('earlier', there).unit, 'current').text).toContain(`[${current}]`);
    });
  }

  test('that is zero with a sign is -0.0 in the earlier syntax, where -0 is a whole number without one', () => {
    const there = convertUnit(read('current', 'module M\n\nworkflow Made {\n  [-0]\n}\n').unit, 'earlier').text;
    expect(there).toContain('[:eval [-0.0]]');
    expect(convertUnit(read('earlier', there).unit, 'current').text).toContain('[-0.0]');
    expect(convertUnit(read('earlier', there.replace('-0.0', '-0')).unit, 'current').text).toContain('[0]');
  });

  test('that is for a number is a plain sum in both', () => {
    const text = 'module M\n\nentity E {\n  a Int,\n  b Decimal @expr(a + 1)\n}\n';
    const there = convertUnit(read('current', text).unit, 'earlier').text;
    expect(there).toContain("'(+ :a 1)");
    expect(convertUnit(read('earlier', there).unit, 'current').text).toBe(text);
  });
});

function read(surface: Surface, text: string): ReadResult {
  return surface === 'current' ? currentFrontEnd.read({ file: 'a.al', text }) : readLocalUnit({ file: 'a.clj', text });
}

/** Converted there and back, with every digit. */
function staysThe(surface: Surface, text: string): void {
  const other = surface === 'current' ? 'earlier' : 'current';
  const first = modelOf(whole(surface, text));
  expect(first).toHaveProperty('model');
  const there = convertUnit(read(surface, text).unit, other);
  expect(there.missing).toEqual([]);
  expect([text, there.text, modelOf(whole(other, there.text))]).toEqual([text, there.text, first]);
  const back = convertUnit(read(other, there.text).unit, surface);
  expect([there.text, back.text, modelOf(whole(surface, back.text))]).toEqual([there.text, back.text, first]);
}

/** With the names of the component in them. */
function whole(surface: Surface, text: string): ReadResult {
  return surface === 'current' ? read(surface, text) : earlierFrontEnd.read({ file: 'a.clj', text });
}

describe('a model of the earlier surface', () => {
  const shown = caseFiles().flatMap(({ cases }) => cases.filter((each) => sameSourcesOf(each).length > 0));
  for (const each of shown) {
    test(`is the same in the current one, and back again: ${each.title}`, () => {
      for (const source of sourcesOf(each)) {
        const first = modelOf(earlierFrontEnd.read(source));
        const current = convertUnit(readLocalUnit(source).unit, 'current');
        // What only this surface can say is told, and the case is about something else.
        if (current.missing.length > 0) continue;
        const there = currentFrontEnd.read({ file: 'a.al', text: current.text });
        expect(modelOf(there)).toEqual(first);
        expect(modelOf(earlierFrontEnd.read({ file: 'a.clj', text: convertUnit(there.unit, 'earlier').text }))).toEqual(first);
      }
    });
  }

  test('what is computed along a relationship of another component stays computed', () => {
    const [first, second] = [
      "(component :A.Base)\n(entity :A {:Id {:type :Int :guid true} :N {:type :Int :expr '(count :A.Ops/Books)}})\n",
      '(component :A.Ops)\n(entity :B {:Id {:type :Int :id true}})\n(relationship :Books {:meta {:contains [:A.Base/A :B]}})\n',
    ].map((text, index) => readLocalUnit({ file: `${index}.clj`, text }).unit);
    if (first === undefined || second === undefined) throw new Error('There are two.');
    const { text, missing } = convertUnit(first, 'current', [first, second]);
    expect(missing).toEqual([]);
    expect(text).toContain('N Int @expr(count(A.Ops/Books))');
  });

  test('comments stay between the declarations that they stood between', () => {
    const text =
      '(component :A)\n(entity :E {:No {:type :Int :guid true}})\n(dataflow :One {:E? {}})\n; about Two\n(event :Two {:N :Int})\n(dataflow :Two [:try {:E {:No? 1}} :not-found {:E {:No 1}}])\n; about Three\n(event :Three {:N :Int})\n';
    const { text: converted } = convertUnit(readLocalUnit({ file: 'a.clj', text }).unit, 'current');
    expect(converted).toContain('}\n\n// about Two\nevent Two {');
    expect(converted).toContain('}\n\n// about Three\nevent Three {');
  });

  test('what has no counterpart is told, and kept as a comment', () => {
    const text = [
      '(component :A {:refer [:B]})',
      '(entity :E {:No {:type :Int :guid true :check even?} :N {:type :Int :default (fn [] 3)}})',
      '(defn even? [x] true)',
      '(dataflow :D "what it does" {:E {:No? :D.No}})',
      "(dataflow :Q [:eval '(even? 3)])",
      '(dataflow :P [:? {:E {:No 1}} :R :E])',
      '(rule :Ru {:E {:No 3}} :then {:E {:No 4}})',
      '(view :V {:A :E.No :query {}})',
    ].join('\n');
    const { text: converted, missing } = convertUnit(readLocalUnit({ file: 'a.clj', text }).unit, 'current');
    expect(missing.map((each) => each.what)).toEqual([
      'code in :check',
      'code in :default',
      'a function',
      'a function in Clojure',
      'a path query',
      'rule',
      'a form without behaviour',
      'options of the component',
    ]);
    expect(converted).toContain('(defn even? [x] true)');
    expect(converted).toContain(':check even?');
    expect(converted).toContain(':default (fn [] 3)');
    expect(converted).toContain('what it does');
    expect(converted).toContain('{E {No? D.No}}');
    expect(modelOf(currentFrontEnd.read({ file: 'a.al', text: converted }))).toHaveProperty('model');
  });

  test('what the earlier surface cannot say is told, and kept as a comment', () => {
    const text =
      'module a\n\nentity E {\n  id Int @id @fk,\n  @actions open Ev\n}\n\nevent Ev {}\n\nagent helper {\n  instruction "help"\n}\n';
    const { text: converted, missing } = convertUnit(currentFrontEnd.read({ file: 'a.al', text }).unit, 'earlier');
    expect(missing.map((each) => each.what)).toEqual(['@fk', '@actions', 'agent']);
    expect(converted).toContain('; agent helper {');
    expect(modelOf(earlierFrontEnd.read({ file: 'a.clj', text: converted }))).toHaveProperty('model');
  });
});

/** The model without places, or what is wrong with it. */
function modelOf({ unit, diagnostics }: ReadResult): object {
  const linked = link([unit]);
  const faults = [...diagnostics, ...linked.diagnostics].filter((each: Diagnostic) => each.severity === 'error');
  return linked.model === undefined || faults.length > 0
    ? { faults: faults.map((each) => `${each.line}:${each.column} ${each.message}`) }
    : { model: describeModel(linked.model) };
}
