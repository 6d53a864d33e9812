// What docs/graphql.md shows is asked, and answered as it says. UPDATE_DOCS=1 writes it anew.

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { serveGraphql } from './support.ts';

const page = 'docs/graphql.md';

test('every query of the page is answered as it says', async () => {
  const { ask } = await serveGraphql(readFileSync('examples/blog/src/blog.al', 'utf8'));
  const before = readFileSync(page, 'utf8');
  const shown = [...before.matchAll(/```graphql\n([\s\S]*?)```(\s+)```json\n([\s\S]*?)```/g)];
  expect(shown.length).toBeGreaterThan(0);
  let after = before;
  for (const [whole, query = '', , answer = ''] of shown) {
    const { text } = await ask(query);
    after = after.replace(whole, whole.replace(answer, `${text}\n`));
  }
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, after);
  else expect(after).toBe(before);
});
