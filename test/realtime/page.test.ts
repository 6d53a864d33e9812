// What docs/realtime.md shows is asked, and told as it says.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { curlLines } from '../cli/harness.ts';
import { serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { watch } from './support.ts';

test('the command of the page is answered as it says, but for the cursors', async () => {
  const page = readFileSync('docs/realtime.md', 'utf8');
  const [call] = curlLines(page);
  const clock = testClock('2026-11-17T09:00:00.000Z');
  const served = await serve(readFileSync('examples/blog/src/blog.al', 'utf8'), { parts: { clock } });
  const stream = await watch(served, new URL(call?.url ?? '').pathname, { headers: call?.headers ?? {} });
  await stream.until(1);
  await served.post('/blog/Post', { slug: 'first', title: 'First' });
  await stream.until(2);
  const shown = [...page.matchAll(/^event: (.*)\nid: .*\ndata: (.*)$/gm)].map(([, event, data = '']) => ({
    event,
    data: JSON.parse(data),
  }));
  expect(shown.map(({ event }) => event)).toEqual(['ready', 'create']);
  expect(stream.told.map(({ event, data }) => ({ event, data }))).toEqual([
    { event: 'ready', data: { cursor: stream.told[0]?.id } },
    shown[1],
  ]);
});
