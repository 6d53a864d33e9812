// What the model is told of values before it runs, held against what happens when it does: nothing that works is refused.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics.ts';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { link } from '../../src/model/link/link.ts';
import { open } from '../support/app.ts';
import { isLarge } from '../support/form.ts';
import { attribute, attributes, declarations, literal, value } from './generate-typed.ts';

const numRuns = isLarge ? 200 : 2;
const typed = attribute.filter((name) => name !== 'a');
const size = { minLength: 40, maxLength: 40 };

/** The diagnostics of each workflow, each of which stands on a line of its own. */
function told(workflows: readonly string[]): readonly (readonly Diagnostic[])[] {
  const text = `${declarations}\n${workflows.join('\n')}`;
  const { unit, diagnostics } = currentFrontEnd.read({ file: 'a.al', text });
  expect(diagnostics, text).toEqual([]);
  const found = link([unit]).diagnostics;
  const first = declarations.split('\n').length + 1;
  expect(found.filter((each) => each.line < first)).toEqual([]);
  return workflows.map((_, index) => found.filter((each) => each.line === first + index));
}

function looped(name: string, statement: string): string {
  return `workflow ${name} { for x in {Full {id? 1}} { ${statement} } }`;
}

/** The status of each workflow. */
async function statuses(workflows: readonly string[]): Promise<readonly number[]> {
  const served = await open(`${declarations}\n${workflows.join('\n')}`);
  const found: number[] = [];
  for (const index of workflows.keys()) found.push((await served.post(`/m/w${index}`, {})).status);
  await served.close();
  return found;
}

function refused(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((each) => each.severity === 'error');
}

test('a value is refused only where it can never be stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(attribute, value), size), async (pairs) => {
      const verdicts = told(pairs.map(([name, given], index) => looped(`w${index}`, `{Target {${name} ${given}}}`)));
      const happened = await statuses(pairs.map(([name, given], index) => looped(`w${index}`, `{Target {}, @from {"${name}": ${given}}}`)));
      const wrong = pairs.flatMap((pair, index) =>
        refused(verdicts[index] ?? []) && happened[index] === 200 ? [[pair, verdicts[index]]] : [],
      );
      expect(wrong).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

test('a literal that cannot be stored is always refused', async () => {
  await fc.assert(
    // What is too large for `Any` is left to the moment when it is stored.
    fc.asyncProperty(fc.array(fc.tuple(typed, literal), size), async (pairs) => {
      const verdicts = told(pairs.map(([name, given], index) => looped(`w${index}`, `{Target {${name} ${given}}}`)));
      const happened = await statuses(pairs.map(([name, given], index) => looped(`w${index}`, `{Target {}, @from {"${name}": ${given}}}`)));
      const isLike = pairs.map((_, index) => refused(verdicts[index] ?? []) === (happened[index] !== 200));
      expect(pairs.filter((_, index) => isLike[index] === false)).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

test('a create is refused for what it lacks where it would fail for it', async () => {
  const given = fc.subarray(['s "a"', 'n 1', 'b true', 'o {"a": 1}']);
  await fc.assert(
    fc.asyncProperty(fc.array(given, { minLength: 10, maxLength: 10 }), async (all) => {
      const verdicts = told(all.map((each, index) => looped(`w${index}`, `{Needs {${each.join(', ')}}}`)));
      const maps = all.map((each) => each.map((pair) => pair.replace(/^(\w+)/, '"$1":')).join(', '));
      const happened = await statuses(maps.map((each, index) => looped(`w${index}`, `{Needs {}, @from {${each}}}`)));
      expect(verdicts.map(refused)).toEqual(happened.map((status) => status !== 200));
    }),
    { numRuns },
  );
}, 600_000);

test('a comparison that is said never to hold holds for nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(attribute, literal), size), async (pairs) => {
      const query = pairs.map(([name, given], index) => `workflow w${index} { {Full {${name}? ${given}}} }`);
      const condition = pairs.map(([name, given], index) => looped(`w${index + pairs.length}`, `x.${name} == ${given}`));
      const verdicts = told([...query, ...condition]);
      const served = await open(`${declarations}\n${[...query, ...condition].join('\n')}`);
      for (const [index, found] of verdicts.entries()) {
        if (!found.some((each) => each.code === 'comparison-never')) continue;
        const answer = await served.post(`/m/w${index}`, {});
        expect([answer.status, answer.body], JSON.stringify(pairs[index % pairs.length])).toEqual([
          200,
          index < pairs.length ? [] : [false],
        ]);
      }
      await served.close();
    }),
    { numRuns },
  );
}, 600_000);

test('the value of each attribute is told where it stands for another kind of value', () => {
  const wrong = attributes.flatMap(([name]) => (name === 'a' ? [] : [`{Target {${name} ${name === 'b' ? '"x"' : 'true'}}}`]));
  const verdicts = told(wrong.map((each, index) => looped(`w${index}`, each)));
  expect(verdicts.map((each) => each.map(({ code }) => code))).toEqual(wrong.map(() => ['value-type']));
});
