// The tutorial's model: one entity, created, read, listed and filtered.

import { expect, test } from 'vitest';
import { check } from '../support/table.ts';
import { created, refused, serveModel } from './models.ts';

const joe = { Email: 'joe@acme.example', Name: 'Joe', Type: 'standard' };

test('customers are created, read, listed and filtered', async () => {
  const served = await serveModel('tutorial');
  const post = { ask: 'POST /api/MyCompany/Customer' } as const;
  await check(served, [
    {
      ...post,
      body: { 'MyCompany/Customer': { Email: 'joe@acme.example', Name: 'Joe' } },
      status: 200,
      has: created({
        'type-*-tag-*-': 'entity',
        '-*-type-*-': 'MyCompany/Customer',
        ...joe,
        Created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      }),
    },
    { ...post, body: { 'MyCompany/Customer': { Email: 'ann@acme.example', Name: 'Ann', Type: 'premium' } }, status: 200 },
    { ask: 'GET /api/MyCompany/Customer/joe@acme.example', status: 200, has: joe },
    { ask: 'GET /api/MyCompany/Customer', status: 200, has: [{ Name: 'Ann' }, { Name: 'Joe' }] },
    { ask: 'GET /api/MyCompany/Customer?Type=premium', status: 200, has: [{ Name: 'Ann' }] },
    { ...post, body: { 'MyCompany/Customer': { Email: 'joe@acme.example', Name: 'Joe' } }, status: 409, has: refused('duplicate') },
    {
      ...post,
      body: { 'MyCompany/Customer': { Email: 'x', Type: 'gold' } },
      status: 422,
      has: refused('attributes-invalid', ['Email', 'type'], ['Name', 'required'], ['Type', 'value']),
    },
    { ask: 'GET /api/MyCompany/Customer/nobody@acme.example', status: 404 },
  ]);
});
