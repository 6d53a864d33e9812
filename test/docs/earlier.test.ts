// Every block of docs/earlier.md is a component without faults, laid out as the formatter does it; its data is read. So is what docs/access.md shows.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { earlierFrontEnd } from '../../src/language/earlier/earlier.ts';
import { formatSource } from '../../src/language/earlier/print/format.ts';
import { readForms } from '../../src/language/earlier/read/read.ts';
import { link } from '../../src/model/link/link.ts';

function blocks(file: string, language: string): readonly string[] {
  const page = readFileSync(file, 'utf8');
  return [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] ?? '');
}

describe.each(['docs/earlier.md', 'docs/access.md'])('%s', (file) => {
  for (const [index, text] of blocks(file, 'clojure').entries()) {
    test(`component ${index + 1} has no faults`, () => {
      const source = { file: 'page.clj', text };
      const read = earlierFrontEnd.read(source);
      expect([...read.diagnostics, ...link([read.unit]).diagnostics]).toEqual([]);
      expect(formatSource(source)).toEqual({ text });
    });
  }

  for (const [index, text] of blocks(file, 'edn').entries()) {
    test(`map ${index + 1} is read`, () => expect(readForms({ file: 'page.edn', text }).diagnostics).toEqual([]));
  }
});
