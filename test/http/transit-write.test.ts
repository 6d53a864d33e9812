// Writing transit from the JSON text of an answer, whole and in pieces.

import { describe, expect, test } from 'vitest';
import { transitStream, transitText } from '../../src/http/media/transit/write.ts';

const cases: readonly (readonly [json: string, transit: string])[] = [
  ['{}', '{}'],
  ['[]', '[]'],
  ['{"No":7,"Block":"a"}', '{"~:No":7,"~:Block":"a"}'],
  ['{"Acme/Department":{"No":null}}', '{"~:Acme/Department":{"~:No":null}}'],
  ['{"":1,"~a":2,"^b":3,"a b":4}', '{"~:":1,"~:~a":2,"~:^b":3,"~:a b":4}'],
  ['["~a","^b","`c","d~","~","^ ",""]', '["~~a","~^b","~`c","d~","~~","~^ ",""]'],
  ['["\\u007Ea","\\u005e","\\u0060","\\u0061","\\""]', '["~\\u007Ea","~\\u005e","~\\u0060","\\u0061","\\""]'],
  ['{"a":"b:c","d":"e\\":"}', '{"~:a":"b:c","~:d":"e\\":"}'],
  ['{"a\\"":"\\\\","b\\\\":"~\\\\"}', '{"~:a\\"":"\\\\","~:b\\\\":"~~\\\\"}'],
  ['{"a" : 1, "b" :[ "~" ] }', '{"~:a" : 1, "~:b" :[ "~~" ] }'],
  ['[true,false,null]', '[true,false,null]'],
  ['[0,-1,1.5,1e21,-2.5E-7]', '[0,-1,1.5,1e21,-2.5E-7]'],
  ['[9007199254740991,-9007199254740991]', '[9007199254740991,-9007199254740991]'],
  ['[9007199254740992,-9007199254740993]', '["~i9007199254740992","~i-9007199254740993"]'],
  ['{"a":9223372036854775807,"b":"x"}', '{"~:a":"~i9223372036854775807","~:b":"x"}'],
  ['[-9223372036854775808,9223372036854775808]', '["~i-9223372036854775808","~n9223372036854775808"]'],
  ['[100000000000000000000]', '["~n100000000000000000000"]'],
  ['[12345678901234567890.5,0.1234567890123456789,1e400]', '[12345678901234567890.5,0.1234567890123456789,1e400]'],
  ['["9007199254740993"]', '["9007199254740993"]'],
  ['5', '{"~#\'":5}'],
  ['9007199254740993', '{"~#\'":"~i9007199254740993"}'],
  ['"text"', '{"~#\'":"text"}'],
  ['"~text"', '{"~#\'":"~~text"}'],
  ['null', '{"~#\'":null}'],
  ['false', '{"~#\'":false}'],
];

describe('keys become keywords, integers stay exact, texts are escaped', () => {
  for (const [json, transit] of cases) test(json, () => expect(transitText(json)).toBe(transit));
});

test('an answer in pieces is the same, wherever it is cut', async () => {
  for (const [json, transit] of cases) {
    if (!/^[[{]/.test(json)) continue;
    for (let first = 0; first <= json.length; first += 1) {
      for (let second = first; second <= json.length; second += 3) {
        const pieces = [json.slice(0, first), json.slice(first, second), json.slice(second)];
        expect(await joined(transitStream(inPieces(pieces)))).toBe(transit);
      }
    }
  }
});

test('what is complete is passed on at once', async () => {
  const stream = transitStream(inPieces(['[{"a":1}', ',{"a":2}', ']']));
  const pieces: string[] = [];
  for await (const piece of stream) pieces.push(piece);
  expect(pieces).toEqual(['[{"~:a":1}', ',{"~:a":2}', ']']);
});

test('whoever stops reading stops the source', async () => {
  const state = { ended: false };
  const stream = transitStream(watched(state));
  await stream.next();
  await stream.return();
  expect(state.ended).toBe(true);
});

test('a failure of the source is passed on', async () => {
  const stream = transitStream(failing());
  expect((await stream.next()).value).toBe('[{"~:a":1}');
  await expect(stream.next()).rejects.toThrow('stop');
});

async function* inPieces(pieces: readonly string[]): AsyncGenerator<string, void> {
  for (const piece of pieces) yield piece;
}

async function* watched(state: { ended: boolean }): AsyncGenerator<string, void> {
  try {
    for (;;) yield '[1,';
  } finally {
    state.ended = true;
  }
}

async function* failing(): AsyncGenerator<string, void> {
  yield '[{"a":1}';
  throw new Error('stop');
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}
