// The forms of workflows, as scenarios: choices, loops, names and handlers.

import type { FormRow } from './form.ts';

export const control: readonly FormRow[] = [
  { title: 'the last value is the result', body: '1\n"two"\n[3, 4]', answers: { is: [3, 4] } },
  { title: 'statements are separated by `;` too', body: '1; 2', answers: { is: 2 } },
  { title: 'a workflow without statements gives nothing', body: '', answers: { is: null } },
  {
    title: 'a map',
    body: '{"a": ev.x, "b": {"c": [1, null, true]}}',
    given: { x: 'y' },
    answers: { is: { a: 'y', b: { c: [1, null, true] } } },
  },
  {
    title: 'str, either and all',
    body: '[str("a", null, 1, true), either(null, ev.a), all(1, ev.a, 2), either(), all(1, null, 1 / 0)]',
    given: { a: 5 },
    answers: { is: ['a1true', 5, 2, null, null] },
  },
  { title: 'an empty map', body: '{}', answers: { is: {} } },
  {
    title: 'a list of patterns',
    body: '[{Reader {email? "ann"}}, {Note {text "t"}}]',
    answers: { is: [[{ email: 'ann', name: 'Ann' }], { text: 't', n: null }] },
  },
  { title: 'nested attributes of the event', body: 'ev.a.b.c', given: { a: { b: { c: 5 } } }, answers: { is: 5 } },
  { title: 'the event itself', body: 'ev', given: { a: 1 }, answers: { is: { a: 1 } } },
  { title: 'the event by its qualified name', body: 'lib/ev.a', given: { a: 1 }, answers: { is: 1 } },
  {
    title: 'differences and comparisons are values',
    body: '[5 - ev.n, ev.n != 2, ev.n <= 2]',
    given: { n: 2 },
    answers: { is: [3, false, true] },
  },
  { title: 'if', body: 'if (ev.n > 1) { "more" }', given: { n: 2 }, answers: { is: 'more' } },
  { title: 'if … else', body: 'if (ev.n > 1) { "more" } else { "less" }', given: { n: 1 }, answers: { is: 'less' } },
  {
    title: 'if … else if … else',
    body: 'if (ev.n > 1) { 1 } else if (ev.n == 1) { 2; 3 } else { 4 }',
    given: { n: 1 },
    answers: { is: 3 },
  },
  { title: 'an absent value counts as false', body: 'if (ev.none) { 1 } else { 2 }', answers: { is: 2 } },
  {
    title: 'a choice in parentheses may be named',
    body: '(if (ev.n > 1) { "more" } else { "less" }) @as word\nword + "!"',
    given: { n: 2 },
    answers: { is: 'more!' },
  },
  {
    title: 'a choice may be named without parentheses',
    body: 'if (ev.n > 1) { "more" } else { "less" } @as word\nword + "!"',
    given: { n: 2 },
    answers: { is: 'more!' },
  },
  { title: 'for gives the last value of each round', body: 'for b in {Book? {}, @limit(2)} { 0; b.pages / 100 }', answers: { is: [1, 2] } },
  { title: 'for over nothing is an empty list', body: 'for b in {Book {isbn? "none"}} { b.pages }', answers: { is: [] } },
  { title: 'for over a list of the event', body: 'for x in ev.list { x * x }', given: { list: [1, 2, 3] }, answers: { is: [1, 4, 9] } },
  { title: 'for over an alias', body: '{Book {pages? 200}} @as many\nfor b in many { b.isbn }', answers: { is: ['b2', 'b4'] } },
  { title: 'for over one value goes one round', body: 'for x in ev.one { x }', given: { one: { a: 1 } }, answers: { is: [{ a: 1 }] } },
  {
    title: 'for in for',
    body: 'for x in ev.list { for y in ev.list { x * 10 + y } }',
    given: { list: [1, 2] },
    answers: {
      is: [
        [11, 12],
        [21, 22],
      ],
    },
  },
  {
    title: 'the variable of a loop ends with it, and what it hid is back',
    body: '5 @as x\nfor x in [1, 2] {\nfor x in [30, 40] { x }\nx\n} @as seen\n[seen, x]',
    answers: { is: [[1, 2], 5] },
  },
  {
    title: 'what a loop hid is back where it fails',
    body: '5 @as x\nfor x in [1, 2] { throw("no") } @catch {error [x, Error.message]}',
    answers: { is: [5, 'no'] },
  },
  {
    title: 'a name given in the body of a loop or in a branch stays, with its last value',
    body: 'for x in [1, 2] { x * 10 @as y }\nif (true) { 7 @as z }\n[y, z]',
    answers: { is: [20, 7] },
  },
  {
    title: 'the name of a type means again what it meant before a loop over its instances',
    body: '{Reader {email? "cyd"}} @as found\nfor r in found { for s in ["x"] { 0 } }\nfor b in {Book {isbn? "b1"}} { for r in {Reader? {}} { 0 } }\nlib/Reader.email',
    answers: { is: 'ann' },
  },
  {
    title: 'for may be named',
    body: 'for x in ev.list { x + 1 } @as next\nfor x in next { x + 1 }',
    given: { list: [1] },
    answers: { is: [3] },
  },
  {
    title: 'for makes an instance of each',
    body: 'for x in ev.list { {Reader {email x, name "R" + x}} }',
    given: { list: ['d', 'e'] },
    answers: {
      is: [
        { email: 'd', name: 'Rd' },
        { email: 'e', name: 'Re' },
      ],
    },
    after: [{ ask: 'GET /lib/Reader/e', status: 200 }],
  },
  {
    title: 'for with `if` in it',
    body: 'for x in ev.list { if (x > 1) { "big" } else { "small" } }',
    given: { list: [1, 2] },
    answers: { is: ['small', 'big'] },
  },
  {
    title: 'return ends the workflow with a value',
    body: 'return {Note {text "first"}}\n"never"',
    answers: { is: { text: 'first', n: null } },
  },
  {
    title: 'return from inside a loop and a choice',
    body: 'for b in {Book? {}} { if (b.pages == 200) { return b.isbn } }\n"never"',
    answers: { is: 'b2' },
  },
  {
    title: 'what was done before return stays',
    body: '{Reader {email "d", name "D"}}\nreturn 1',
    answers: { is: 1 },
    after: [{ ask: 'GET /lib/Reader/d', status: 200 }],
  },
  {
    title: 'throw ends the workflow with its text',
    body: '{Reader {email "d", name "D"}}\nthrow("no " + ev.what)',
    given: { what: 'luck' },
    answers: { status: 422, code: 'dataflow-failed', has: { detail: 'no luck' } },
    after: [{ ask: 'GET /lib/Reader/d', status: 404 }],
  },
  {
    title: 'a failing step undoes those before it',
    body: '{Reader {email "d", name "D"}}\n{Book {isbn "b1", title "x", pages 1}}',
    answers: { status: 409 },
    after: [{ ask: 'GET /lib/Reader/d', status: 404 }],
  },
];

export const names: readonly FormRow[] = [
  { title: '@as names a result', body: '{Reader {email? "ann"}} @as found\nfound', answers: { is: [{ email: 'ann', name: 'Ann' }] } },
  { title: 'a list is read by its first element', body: '{Reader? {}} @as all\nall.name', answers: { is: 'Ann' } },
  { title: '@as names a literal', body: '42 @as n\nn + 1', answers: { is: 43 } },
  { title: '@as names a created instance', body: '{Reader {email "d", name "D"}} @as r\nr.email', answers: { is: 'd' } },
  { title: '@as [a] takes the first', body: '{Reader? {}} @as [r]\nr', answers: { is: { email: 'ann', name: 'Ann' } } },
  { title: '@as [a, _, c] skips', body: '{Reader? {}} @as [a, _, c]\n[a.email, c.email]', answers: { is: ['ann', 'cyd'] } },
  {
    title: '@as [a, __, rest] takes the rest',
    body: '{Reader? {}} @as [a, __, rest]\n[a.email, rest]',
    answers: {
      is: [
        'ann',
        [
          { email: 'bob', name: 'Bob' },
          { email: 'cyd', name: 'Cyd' },
        ],
      ],
    },
  },
  {
    title: 'names without an element are null, the rest is empty',
    body: '{Reader {email? "ann"}} @as [a, b, __, rest]\n[a.email, b, rest]',
    answers: { is: ['ann', null, []] },
  },
  {
    title: 'destructuring leaves the result as it is',
    body: '{Reader? {}} @as [_, __, rest]\n{Reader {email? "ann"}} @as [x]\nrest',
    answers: { has: [{ email: 'bob' }, { email: 'cyd' }] },
  },
  { title: 'a list of the event is destructured', body: 'ev.list @as [a, b]\na + b', given: { list: [1, 2] }, answers: { is: 3 } },
];

export const handlers: readonly FormRow[] = [
  {
    title: '@empty stands in for nothing found',
    body: '{Book {isbn? "none"}} @empty {Note {text "none"}}',
    answers: { is: { text: 'none', n: null } },
  },
  {
    title: '@empty is not asked when something is found',
    body: '{Reader {email? "ann"}} @empty {Note {text "none"}}',
    answers: { is: [{ email: 'ann', name: 'Ann' }] },
  },
  { title: '@empty after an update of nothing', body: '{Book {isbn? "none", pages 1}} @empty "none"', answers: { is: 'none' } },
  { title: '@empty after a delete of nothing', body: 'delete {Book {isbn? "none"}} @empty "none"', answers: { is: 'none' } },
  { title: '@as names what @empty gives', body: '{Book {isbn? "none"}} @as b @empty "none"\nb + "!"', answers: { is: 'none!' } },
  {
    title: '@as behind @empty names the result either way',
    body: '{Book {isbn? "b1"}} @empty "none" @as b\nb.title',
    answers: { is: 'Ants' },
  },
  { title: '@as behind @empty names what it gives', body: '{Book {isbn? "none"}} @empty "none" @as b\nb + "!"', answers: { is: 'none!' } },
  {
    title: '@empty may make what was not found',
    body: '{Reader {email? "d"}} @as [r] @empty {Reader {email "d", name "D"}}\nr.name',
    answers: { is: 'D' },
  },
  { title: '@catch not_found', body: '{Book {isbn? "none"}} @catch {not_found "none" error "bad"}', answers: { is: 'none' } },
  { title: '@catch error', body: '{Book {isbn "b1", title "x", pages 1}} @catch {not_found "none", error "bad"}', answers: { is: 'bad' } },
  {
    title: '@catch error knows the failure',
    body: '{Book {isbn "b1", title "x", pages 1}} @catch {error [Error.code, Error.message]}',
    answers: { has: ['duplicate', someText()] },
  },
  { title: '@catch of a throw', body: 'throw("stop") @catch {error Error.message}', answers: { is: 'stop' } },
  {
    title: '@catch of a failing loop undoes the loop',
    body: 'for x in ["d", "ann"] { {Reader {email x, name "N"}} } @catch {error "undone"}\n{Reader {email? "d"}}',
    answers: { is: [] },
  },
  {
    title: '@catch of a failing call undoes the call',
    body: '{other {}} @catch {error "undone"}',
    also: 'workflow other { {Reader {email "d", name "D"}} throw("x") }',
    answers: { is: 'undone' },
    after: [{ ask: 'GET /lib/Reader/d', status: 404 }],
  },
  {
    title: 'a handler without a fitting outcome lets it pass',
    body: '{Book {isbn "b1", title "x", pages 1}} @catch {not_found "none"}',
    answers: { status: 409 },
  },
  {
    title: 'a failing handler fails',
    body: '{Book {isbn? "none"}} @catch {not_found throw("really not")}',
    answers: { status: 422, has: { detail: 'really not' } },
  },
  { title: 'a handler may return', body: '{Book {isbn? "none"}} @catch {not_found return "early"}\n"late"', answers: { is: 'early' } },
  { title: '@then goes on with what was found', body: '{Book {isbn? "b1"}} @as [b] @then { b.title }', answers: { is: 'Ants' } },
  { title: '@then is left out when nothing was found', body: '{Book {isbn? "none"}} @then { "found" }', answers: { is: [] } },
  {
    title: '@throws keeps the failure and tells the value of its handler',
    body: '{Book {isbn? "none"}} @throws {not_found {Note {text "gone"}}}',
    answers: { status: 422, code: 'dataflow-failed' },
  },
];

function someText(): unknown {
  return { asymmetricMatch: (value: unknown) => typeof value === 'string' && value !== '' };
}
