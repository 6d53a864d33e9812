// Every model in the language page is a model without a fault.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { link } from '../../src/model/link/link.ts';

const page = readFileSync('docs/language.md', 'utf8');
const blocks = [...page.matchAll(/```al\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');

test('the language page has models', () => expect(blocks.length).toBeGreaterThan(3));

for (const text of blocks) {
  test(`${text.split('\n')[0]} on the language page has no fault, and is laid out as format does`, () => {
    const { unit, diagnostics } = currentFrontEnd.read({ file: 'docs/language.md', text });
    expect([...diagnostics, ...link([unit]).diagnostics]).toEqual([]);
    expect(currentFrontEnd.print(unit)).toBe(text);
  });
}
