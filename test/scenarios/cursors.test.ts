// Pages: `@limit`, `@after` and the Link header.

import { describe, expect, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';
import { check } from '../support/table.ts';
import { listModel as model, rows, withRows } from './list-rows.ts';

describe('cursors', () => {
  for (const sort of [
    '',
    'id',
    '-id',
    'text',
    '-text',
    'n',
    '-n',
    'f',
    '-f',
    'd',
    '-d,id',
    'b',
    '-b,n',
    'at',
    '-at',
    'day,kind',
    'kind,-n',
  ]) {
    test(`pages by ${sort || 'nothing'} give every instance once, in the order of the whole list`, async () => {
      const served = await withRows();
      const query = sort === '' ? '' : `@sort=${sort}&`;
      const whole = (await served.get(`/m/Row?${query}@select=id`)).body;
      for (const size of [1, 3]) expect(await byPages(served, `/m/Row?${query}@select=id&@limit=${size}`)).toEqual(whole);
    });
  }

  test('the Link header is given whenever @limit cut the list, and only then', async () => {
    const served = await withRows();
    await check(served, [
      { ask: 'GET /m/Row?@limit=7', status: 200, headers: { link: /^<\/m\/Row\?@limit=7&@after=[\w-]+>; rel="next"$/ } },
      { ask: 'GET /m/Row?@limit=8', status: 200, headers: { link: null } },
      { ask: 'GET /m/Row?@limit=9', status: 200, headers: { link: null } },
      { ask: 'GET /m/Row?@limit=2&@offset=6', status: 200, headers: { link: null } },
      { ask: 'GET /m/Row?@limit=2&@offset=5', status: 200, headers: { link: /next/ } },
      { ask: 'GET /m/Row?n=5&@limit=1', status: 200, headers: { link: /^<\/m\/Row\?n=5&@limit=1&@after=/ } },
      { ask: 'GET /m/Row?n=5&@limit=2', status: 200, headers: { link: null } },
    ]);
  });

  test('pages go on behind a row that is gone, and neither repeat nor skip what is added meanwhile', async () => {
    const served = await withRows();
    const first = await served.get('/m/Row?@sort=-n&@limit=2&@select=id');
    await check(served, [
      { ask: 'DELETE /m/Row/1', status: 200 },
      { ask: 'POST /m/Row', body: { id: 0, n: 1000 }, status: 201 },
      { ask: `GET ${nextOf(first.headers['link'])}`, status: 200, is: [{ id: 4 }, { id: 2 }] },
    ]);
  });

  test('a cursor of another order is refused', async () => {
    const served = await withRows();
    const cursor = /@after=([\w-]+)/.exec((await served.get('/m/Row?@sort=n&@limit=2')).headers['link'] ?? '')?.[1];
    await check(served, [
      { ask: `GET /m/Row?@after=${cursor}`, status: 422, faults: ['@after value'] },
      { ask: `GET /m/Row?@sort=-n&@after=${cursor}`, status: 422, faults: ['@after value'] },
      { ask: `GET /m/Row?@sort=n&@after=${cursor}`, status: 200 },
    ]);
  });

  test('a cursor that somebody made up is an answer or 422, never a failure', async () => {
    const served = await withRows();
    const made = [
      ['id', true],
      ['id', {}],
      ['id', []],
      ['id', '1'],
      ['id', null],
      ['id', 1.5],
      ['id', 1, 2],
      ['id'],
      [],
      7,
      null,
      ['n,id', 1, 2],
    ];
    const texts = [
      ...made.map((each) => JSON.stringify(each)),
      '["id",99999999999999999999999]',
      '["id",1e400]',
      '["id","\\ud800"]',
      '[',
      '',
    ];
    for (const text of texts) {
      const { status } = await served.get(`/m/Row?@after=${Buffer.from(text).toString('base64url')}`);
      expect([200, 422], text).toContain(status);
    }
    const values = ['1e999', '-1e-999', '9'.repeat(400), '1e999999', '2020-13-45', '0000-00-00', 'NaN', '\0', true];
    for (const sort of ['n', 'f', 'd', 'b', 'at', 'day']) {
      for (const value of values) {
        const cursor = Buffer.from(JSON.stringify([`${sort},id`, value, 1])).toString('base64url');
        const { status } = await served.get(`/m/Row?@sort=${sort}&@after=${cursor}`);
        expect([200, 422], `${sort} ${value}`).toContain(status);
      }
    }
    expect(served.failures).toEqual([]);
  });

  test('pages in an order of texts that are too long for a cursor go on by their count', async () => {
    const served = await serve('module m\nentity Row { id Int @id, kind Int, text String }');
    const text = 'long '.repeat(2000);
    for (const id of [1, 2, 3, 4, 5, 6, 7])
      await check(served, [{ ask: 'POST /m/Row', body: { id, kind: id % 2, text: id === 4 ? 'a' : `${text}${9 - id}` }, status: 201 }]);
    const link = /^<\/m\/Row\?@sort=text&@limit=2&@offset=2>; rel="next"$/;
    await check(served, [{ ask: 'GET /m/Row?@sort=text&@limit=2', status: 200, headers: { link } }]);
    for (const query of ['@sort=text', '@sort=-text', '@sort=kind,text', '@sort=text&@offset=1', '@sort=text&kind=1']) {
      const whole = (await served.get(`/m/Row?${query}&@select=id`)).body;
      for (const size of [1, 2, 3]) expect(await byPages(served, `/m/Row?${query}&@select=id&@limit=${size}`)).toEqual(whole);
    }
  });

  test('pages go on behind their last row, whatever its texts look like', async () => {
    const served = await serve(`module m
      entity Text { note String, id String @id, data Map @optional }
      entity Flat { note String, id String @id }
      entity Number { note String, id Int @id }`);
    const texts = [
      'plain',
      'ends in {',
      '{"note":"',
      '{"note":"a","id":"zz"}',
      '","id":"zz',
      'id',
      ':"',
      '\\',
      '\\\\"id\\":"zz',
      '\u2028{"id":',
      '😀{',
    ];
    const numbers = ['-9223372036854775808', '-5', '0', '3', '12', '9007199254740993', '9223372036854775807'];
    for (const [at, text] of texts.entries()) {
      for (const type of ['Text', 'Flat']) {
        await check(served, [{ ask: `POST /m/${type}`, body: { id: text, note: texts[texts.length - 1 - at] ?? '' }, status: 201 }]);
      }
      await check(served, [{ ask: `PUT /m/Text/${encodeURIComponent(text)}`, body: { data: { note: 'a', id: 'zz' } }, status: 200 }]);
    }
    const json = { method: 'POST', target: '/m/Number', headers: { 'content-type': 'application/json' } };
    for (const id of numbers) {
      const { status } = await served.ask({ ...json, text: `{"note":"{\\"id\\":7,\\"note\\":8","id":${id}}` });
      expect(status).toBe(201);
    }
    for (const type of ['Text', 'Flat', 'Number']) {
      for (const query of ['', '@select=id&', '@select=id,note&', '@sort=-id&', '@select=note&']) {
        const whole = (await served.get(`/m/${type}?${query}`)).body;
        for (const size of [1, 2, 3]) expect(await byPages(served, `/m/${type}?${query}@limit=${size}`)).toEqual(whole);
      }
    }
  });

  test('a configured page is the most that one answer holds', async () => {
    const served = await serve(model, { limits: { page: 3 } });
    for (const row of rows.slice(3)) await check(served, [{ ask: 'POST /m/Row', body: row, status: 201 }]);
    await check(served, [
      { ask: 'GET /m/Row?@select=id', status: 200, is: [{ id: 4 }, { id: 5 }, { id: 6 }], headers: { link: /next/ } },
      { ask: 'GET /m/Row?@limit=4', status: 422, faults: ['@limit limit'] },
    ]);
    expect(await byPages(served, '/m/Row?@select=id')).toHaveLength(5);
  });
});

/** Every instance of a list, page after page. */
async function byPages(served: Served, target: string): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for (let next: string | undefined = target; next !== undefined; ) {
    const { status, body, headers, text } = await served.get(next);
    expect(status, `${next} ${text}`).toBe(200);
    if (Array.isArray(body)) all.push(...body);
    next = nextOf(headers['link']);
    if (all.length > 100) throw new Error(`${target} does not end`);
  }
  return all;
}

function nextOf(link: string | undefined): string | undefined {
  return link === undefined ? undefined : /^<(.+)>; rel="next"$/.exec(link)?.[1];
}
