// Models as their authors write them load without a diagnostic, are laid out already, and mean the same in the other surface.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { convertUnit } from '../../../src/language/convert.ts';
import { currentFrontEnd } from '../../../src/language/current/current.ts';
import { earlierFrontEnd } from '../../../src/language/earlier/earlier.ts';
import { readLocalUnit } from '../../../src/language/earlier/lower/lower.ts';
import { formatSource } from '../../../src/language/earlier/print/format.ts';
import { link } from '../../../src/model/link/link.ts';
import { describeModel } from '../describe-model.ts';

const folder = join(import.meta.dirname, 'models');

/** Functions and patterns along relationships are not in the other surface. */
const onlyHere = ['library.clj', 'loyalty.clj', 'shop.clj'];

for (const file of readdirSync(folder)) {
  describe(file, () => {
    const source = { file, text: readFileSync(join(folder, file), 'utf8') };
    const read = earlierFrontEnd.read(source);
    const linked = link([read.unit]);

    test('loads without a diagnostic', () => {
      expect([...read.diagnostics, ...linked.diagnostics]).toEqual([]);
      expect(linked.model).toBeDefined();
    });

    test('is laid out already', () => {
      expect(formatSource(source)).toEqual({ text: source.text });
    });

    test.skipIf(onlyHere.includes(file))('is the same model in the current surface', () => {
      const { text, missing } = convertUnit(readLocalUnit(source).unit, 'current');
      const there = link([currentFrontEnd.read({ file: 'a.al', text }).unit]);
      expect(missing).toEqual([]);
      expect(there.model === undefined ? there.diagnostics : describeModel(there.model)).toEqual(
        linked.model === undefined ? '' : describeModel(linked.model),
      );
    });
  });
}
