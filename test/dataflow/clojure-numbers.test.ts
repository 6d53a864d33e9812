// Numbers inside of Clojure: equal ones are one key of its collections, and its own functions keep all of their digits.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { open, type Served } from '../support/app.ts';

/** A form in a function of Clojure, and what it gives. */
type Row = readonly [form: string, expected: unknown];

const keys: readonly Row[] = [
  ['(count (distinct [1.0M 1.00M 1.000M]))', 1],
  ['(count (distinct [9007199254740993 9007199254740993 9007199254740994]))', 2],
  ['(mapv second (frequencies [1.0M 1.00M 2.5]))', [2, 1]],
  ['(map count (vals (group-by identity [1.0M 1.00M 2M])))', [2, 1]],
  ['(count (set (concat [1.0M 1.00M] (range 100))))', 101],
  ['(count (set (concat [9007199254740993 9007199254740993] (range 100))))', 101],
  ['(contains? #{1.50M} 1.5)', true],
  ['(get {1.5M :a} 1.500M)', 'a'],
  ['(get (into {1.5M :a} (map vector (range 50) (range 50))) 1.500M)', 'a'],
  ['(get {9007199254740993 :a} (+ 9007199254740992 1))', 'a'],
  ['(case 1.50M 1.5M :a (2.5 3.5M) :b :c)', 'a'],
  ['(case 2.5M 1.5M :a (2.5 3.5M) :b :c)', 'b'],
  ['(case "x" 1.5M :a ("x" y) :b :c)', 'b'],
  ['(case (quote y) 1.5M :a ("x" y) :b :c)', 'b'],
  ['(case 7 1.5M :a :c)', 'c'],
  ['(case (+ 9007199254740992 1) 9007199254740993 :a :c)', 'a'],
  ['(clojure.set/intersection #{1.0M 2.5M} #{1.00M})', ['1.00']],
  ['(some #{2.50M} [1 2.5M])', '2.50'],
  ['(= [1.0M {:a 2}] [1.00M {:a 2.0M}])', true],
  ['(= [1 2] [1 2 3])', false],
  ['(= {:a 1} {:a 1 :b nil})', false],
  ['(= {:a nil} {:b nil})', false],
  ['(= #{1.0M} #{1.00M})', true],
  ['(= (double 0.5) 0.5M)', true],
  ['(sorted-set 3 1.5M 2 1.50M)', ['1.5', 2, 3]],
  ['(keys (sorted-map 3 :c 1.5M :a 2N :b))', ['1.5', 2, 3]],
  ['(max-key identity 9007199254740993.1M 9007199254740993.2M 9007199254740993.0M)', '9007199254740993.2'],
  ['(min-key :n {:n 2} {:n 1.5M})', { n: '1.5' }],
];

const digits: readonly Row[] = [
  ['(range 0 1 0.1M)', [0, '0.1', '0.2', '0.3', '0.4', '0.5', '0.6', '0.7', '0.8', '0.9']],
  ['(range 1 0 -0.5)', [1, '0.5']],
  ['(range 1.5M)', [0, 1]],
  ['(map str (range 9007199254740992 9007199254740995))', ['9007199254740992', '9007199254740993', '9007199254740994']],
  ['(take 2 (range 1 2.5M 0))', [1, 1]],
  ['(range 1.0M 1 0)', []],
  ['(take 3 (range))', [0, 1, 2]],
  ['(range 3)', [0, 1, 2]],
  ['(range 5 1 -2)', [5, 3]],
  ['(bit-or 4294967296 1)', 4294967297],
  ['(bit-and 0xFFFFFFFFFF 0xF0F0F0F0F0)', 1034834473200],
  ['(bit-shift-left 1 40)', 1099511627776],
  ['(str (bit-shift-left 1 63))', '-9223372036854775808'],
  ['(bit-shift-right 1099511627776 8)', 4294967296],
  ['(unsigned-bit-shift-right -1 60)', 15],
  ['(bit-xor -1 0)', -1],
  ['(bit-not 0)', -1],
  ['[(bit-set 0 40) (bit-clear 1099511627777 40) (bit-flip 0 33) (bit-test 1099511627776 40)]', [1099511627776, 1, 8589934592, true]],
  ['(bit-and-not 7 2 1)', 4],
  ['(str (parse-long "9007199254740993"))', '9007199254740993'],
  ['[(parse-long "9223372036854775808") (parse-long "1.5") (parse-long "+7") (parse-long "")]', [null, null, 7, null]],
  ['(pr-str 1.50M)', '1.50M'],
  ['(pr-str [1.5 1.50M 2 9007199254740993 12345678901234567890])', '[1.5 1.50M 2 9007199254740993 12345678901234567890N]'],
  ['(str 1.50M " " [1.50M])', '1.50 [1.50M]'],
  ['(str {:a 1.50M})', '{:a 1.50M}'],
  [
    '(format "%.2f|%8.1f|%s|%d|%5.1f%%" 12345678901234567.895M -2.25M 1.50M 9007199254740993 (double 1.5))',
    '12345678901234567.90|    -2.3|1.50|9007199254740993|  1.5%',
  ],
  ['(format "%08.2f|%-8.2f|%+.0f" 2.5M 2.5M 2.5M)', '00002.50|2.50    |+3'],
  ['(unchecked-add 0.1M 0.2M)', '0.3'],
  ['[(- 2.5) (- 2.5M) (- (- 4))]', [-2.5, '-2.5', 4]],
  ["(+' 9223372036854775807 1 0.5M)", '9223372036854775808.5'],
  ['[(pos-int? 9007199254740993) (neg-int? -1) (nat-int? 1.5M) (int? 9007199254740993)]', [true, true, false, true]],
  ['(+ (Long/parseLong "9007199254740993") 0.5M)', '9007199254740993.5'],
  ['1.5', 1.5],
  ['1.5M', '1.5'],
  ['(dateFns/addDays "2024-02-28" 2)', '2024-03-01'],
  ['(map #(dateFns/dayName %) ["2024-02-28"])', ['Wednesday']],
];

/** What is refused, with what the answer says. */
const refusals: readonly Row[] = [
  ['(< "10" "9")', '`<` compares numbers in Clojure, and a text was given; `compare` orders texts'],
  ['(< "3" 5)', '`<` compares numbers in Clojure, and a text was given; `compare` orders texts'],
];

const all = [...keys, ...digits, ...refusals];
const opened: { served?: Served } = {};

beforeAll(async () => {
  const events = all.map(([form], index) => `(defn f${index} [] ${form})\n(dataflow :E${index} [:eval '(f${index})])`);
  const model = `(component :M {:clj-import '[(:require [clojure.set])]})\n${events.join('\n')}`;
  opened.served = await open({ 'm.platform': model }, { surfaces: ['earlier'] });
});

afterAll(() => opened.served?.close());

async function ask(form: string): Promise<{ readonly status: number | undefined; readonly body: unknown }> {
  const index = all.findIndex(([each]) => each === form);
  const answer = await opened.served?.post(`/api/M/E${index}`, { [`M/E${index}`]: {} });
  return { status: answer?.status, body: answer?.body };
}

describe('equal numbers are one key', () => {
  test.each(keys)('%s', async (form, expected) => {
    expect(await ask(form)).toEqual({ status: 200, body: expected });
  });
});

describe('functions keep all digits', () => {
  test.each(digits)('%s', async (form, expected) => {
    expect(await ask(form)).toEqual({ status: 200, body: expected });
  });
});

describe('what has no meaning in Clojure is refused with its reason', () => {
  test.each(refusals)('%s', async (form, expected) => {
    expect(await ask(form)).toMatchObject({ status: 422, body: [{ message: expected }] });
  });
});
