// Quoted forms mean what Clojure means: random forms, computed by the service and by the interpreter inside of a function.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { open } from '../support/app.ts';
import { isLarge } from '../support/form.ts';

/** So many forms are events of one application. */
const together = 100;
const numRuns = isLarge ? 100 : 2;

/** What the event gives: `:x` and the like, in a function `x`. */
const given = {
  x: 7,
  y: null,
  t: 'text',
  f: false,
  l: [1, 'a', null, '7'],
  s: '7',
  d: '1.50',
  w: '2024-01-31T10:00Z',
  r: 2.5,
  m: { a: 7, b: '7' },
};
/** Declared by one half of the events: then texts could be read as the types that they are compared with. */
const declared =
  '{:x :Int :y {:type :Int :optional true} :t :String :f :Boolean :l {:type :Any} :s :String :d :Decimal :w :DateTime :r :Any :m :Map}';
const names = Object.keys(given);

const decimal = fc.tuple(fc.integer({ min: -3, max: 3 }), fc.constantFrom('0', '5', '50', '25', '00')).map(([a, b]) => `${a}.${b}M`);
const number = fc.oneof(
  fc.integer({ min: -20, max: 20 }).map(String),
  decimal,
  fc.constantFrom(':x', '7.0M', '7.00M', '1.5M', '2.5', '9007199254740993', '12345678901234567890'),
);
const { form } = fc.letrec<{ form: string; number: string; list: string }>((tie) => {
  const call = (name: string, argument: fc.Arbitrary<string>, minLength: number, maxLength: number): fc.Arbitrary<string> =>
    fc.array(argument, { minLength, maxLength }).map((all) => `(${[name, ...all].join(' ')})`);
  const one = (heads: readonly string[], argument: fc.Arbitrary<string>, minLength: number, maxLength: number): fc.Arbitrary<string> =>
    fc.constantFrom(...heads).chain((head) => call(head, argument, minLength, maxLength));
  const any = tie('form');
  return {
    number: fc.oneof(
      { maxDepth: 3 },
      number,
      one(['+', '*'], tie('number'), 0, 3),
      call('-', tie('number'), 1, 3),
      one(['min', 'max'], number, 1, 3),
    ),
    list: fc.oneof(
      fc.constant(':l'),
      fc.array(any, { maxLength: 3 }).map((all) => `[${all.join(' ')}]`),
    ),
    form: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('nil', 'true', 'false', '"a"', '""', '"b c"', ':y', ':t', ':f', ':l', ':x', ':s', ':d', ':w', ':r', ':m'),
      fc.constantFrom('"7"', '"7.0"', '"1.5"', '"true"', '"2024-01-31T10:00:00Z"', '[7 "7"]', '{:a 7 :b "7"}', '{:a 7.0M :b 7}'),
      tie('number'),
      one(['and', 'or', 'str'], any, 0, 4),
      one(['=', 'not='], any, 1, 3),
      one(['<', '<=', '>', '>='], tie('number'), 1, 3),
      call('not', any, 1, 1),
      call('boolean', any, 1, 1),
      call('if', any, 2, 3),
      call('when', any, 1, 3),
      fc.tuple(any, any).map(([test, value]) => `(cond ${test} ${value} :else nil)`),
      fc.tuple(any, any).map(([value, body]) => `(let [v ${value}] (or v ${body}))`),
      call('count', tie('list'), 1, 1),
      call('first', tie('list'), 1, 1),
      one(['nil?', 'some?', 'string?', 'true?', 'identity', 'vector'], any, 1, 1),
    ),
  };
});

/** The same form inside of a function, which the interpreter alone computes: names in place of keywords. */
const inside = (text: string): string => text.replace(/:(x|y|t|f|l|s|d|w|r|m)\b/g, '$1');

async function agree(forms: readonly string[]): Promise<void> {
  const parameters = names.join(' ');
  const model = `(component :M)
${forms.map((each, index) => `(defn form-${index} [${parameters}] ${inside(each)})`).join('\n')}
${forms.map((_, index) => (index % 2 === 0 ? `(event :E${index} ${declared})` : '')).join('\n')}
${forms
  .map((each, index) => {
    const bound = names.map((name) => `[:value :E${index}.${name} :as :${name}]`).join(' ');
    return `(dataflow :E${index} ${bound} [:value ['${each} '(form-${index} ${names.map((name) => `:${name}`).join(' ')})]])`;
  })
  .join('\n')}
`;
  const served = await open({ 'm.platform': model }, { surfaces: ['earlier'] });
  try {
    for (const [index, each] of forms.entries()) {
      const answer = await served.post(`/api/M/E${index}`, { [`M/E${index}`]: given });
      const [ours, theirs] = Array.isArray(answer.body) ? answer.body : [answer.text];
      expect(answer.status, `${each}\n${answer.text}`).toBe(200);
      expect(ours, each).toEqual(theirs);
    }
  } finally {
    await served.close();
  }
}

test('quoted forms give what the interpreter gives', { timeout: 1_200_000 }, async () => {
  await fc.assert(fc.asyncProperty(fc.array(form, { minLength: together, maxLength: together }), agree), { numRuns, endOnFailure: true });
});
