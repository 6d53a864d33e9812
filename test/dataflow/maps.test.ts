// Maps: their keys stay in the order in which they were written or sent, whatever way they go.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';

const sent = '{"b":1,"2":{"9":1.5,"x":2,"10":null},"a":[{"1":1,"0":2}],"1":3}';

const current = `module m
entity E { id Int @id, m Map, any Any @optional, d Map @default({"b": 1, "2": 2, "1": 3}), x Any @expr(m) }
event pass { id Int, m Map }
workflow pass { {E {id pass.id, m pass.m, any [pass.m]}} }
workflow open { {E {id open.id, m open.m, any {"z": 1, "10": open.m, "9": 2}}} }
workflow change { {E {id? 1}} @as [e]; {E {id? 2, m e.m}} @as [f]; {"k": f.m, "7": e.x, "3": {E {id? 2}}} }
workflow report { {E? {}, @into {id E.id, m E.m}, @orderBy(id)} }
workflow script { {"b": script.m, "1": ((script.m))} }`;

test('keys that read as numbers keep their place on the way through workflows, records and reports', async () => {
  const served = await serve(current);
  const ask = async (path: string, body: string): Promise<string> => {
    const answer = await served.ask({ method: 'POST', target: path, headers: { 'content-type': 'application/json' }, text: body });
    expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
    return answer.text;
  };
  await ask('/m/E', `{"id":1,"m":${sent}}`);
  const made = await ask('/m/pass', `{"id":2,"m":${sent}}`);
  expect(made).toContain(`"m":${sent},"any":[${sent}],"d":{"b":1,"2":2,"1":3},"x":${sent}`);
  expect(await ask('/m/open', `{"id":3,"m":${sent}}`)).toContain(`"any":{"z":1,"10":${sent},"9":2}`);
  expect(await ask('/m/change', '{}')).toContain(`{"k":${sent},"7":${sent},"3":[{"id":2,"m":${sent}`);
  expect(await ask('/m/report', '{}')).toBe(`[${[1, 2, 3].map((id) => `{"id":${id},"m":${sent}}`).join(',')}]`);
  expect(await ask('/m/script', `{"m":${sent}}`)).toBe(`{"b":${sent},"1":${sent}}`);
});
