// The page of settings is what the table says.

import { expect, test } from 'vitest';
import { rows } from '../../src/config/config.ts';
import { settingsPage } from './settings-page.ts';

test('docs/settings.md is made from the table of settings', async () => {
  await expect(settingsPage()).toMatchFileSnapshot('../../docs/settings.md');
});

test('every setting has its key in the earlier form, in kebab-case', () => {
  expect(rows.filter((row) => !/^[a-z]+(-[a-z]+)*(\.[a-z]+(-[a-z]+)*)*$/.test(row.earlier)).map((row) => row.earlier)).toEqual([]);
  expect(new Set(rows.map((row) => row.earlier)).size).toBe(rows.length);
});
