// Every model in the pages about the language and about access, and of the recipes, is a model without a fault.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { link } from '../../src/model/link/link.ts';

describe.each(['docs/language.md', 'docs/access.md', 'docs/recipes.md'])('%s', (file) => {
  const blocks = [...readFileSync(file, 'utf8').matchAll(/```al\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');

  test('has models', () => expect(blocks.length).toBeGreaterThan(2));

  for (const text of blocks) {
    test(`${text.split('\n')[0]} has no fault, and is laid out as format does`, () => {
      const { unit, diagnostics } = currentFrontEnd.read({ file, text });
      const found = [...diagnostics, ...link([unit], ['auth', 'rbac']).diagnostics];
      expect(found.filter(({ severity }) => severity !== 'note')).toEqual([]);
      expect(currentFrontEnd.print(unit)).toBe(text);
    });
  }
});
