// Random expressions over values of every type, wherever an expression can stand, in both syntaxes: what an oracle of fractions says, and nothing else.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExactNumber } from '../../src/values/exact-number.ts';
import { parseJson } from '../../src/values/json/json.ts';
import type { Value } from '../../src/values/value.ts';
import { open, type Served } from '../support/app.ts';
import { isLarge } from '../support/form.ts';
import { compared, decimalText, evaluated, exact, type Num, type Outcome, type Tree, toDouble, written } from './arithmetic-oracle.ts';

/** How many expressions each place gets in one application, and how many applications there are. */
const [size, runs] = isLarge ? [24, 25] : [2, 4];

const plainLeaves = ['i', 'big', 'd', 'dd', 'f', 'g', 'none', 'any', 'pack.weight', 'pack.f'] as const;

function trees(...leaves: readonly string[]): fc.Arbitrary<Tree> {
  const leaf = fc.constantFrom(...leaves).map((name): Tree => ({ kind: 'leaf', name }));
  const literal = fc.oneof(
    fc.integer({ min: 0, max: 100 }).map((each): Tree => ({ kind: 'literal', text: String(each) })),
    fc
      .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 9999 }))
      .map(([whole, fraction]): Tree => ({ kind: 'literal', text: `${whole}.${fraction}1` })),
    fc
      .constantFrom('0.1', '0.2', '1.005', '2.5', '0.12345678901234567890123', '0.10000000000000001')
      .map((text): Tree => ({ kind: 'literal', text })),
  );
  const name = fc.constantFrom('floor', 'ceil', 'abs', 'min', 'max');
  const { inner } = fc.letrec<{ inner: Tree; tree: Tree }>((tie) => ({
    tree: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.oneof(leaf, literal), tie('inner')),
    inner: fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({
          kind: fc.constant('binary'),
          operator: fc.constantFrom('+', '-', '*', '/'),
          left: tie('tree'),
          right: tie('tree'),
        }),
      },
      { weight: 1, arbitrary: tie('inner').map((of): Tree => ({ kind: 'negation', of })) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('call'),
          name: fc.constant('round'),
          of: fc.tuple(tie('tree')),
          places: fc.integer({ min: -2, max: 6 }),
        }),
      },
      { weight: 1, arbitrary: tie('tree').map((of): Tree => ({ kind: 'call', name: 'round', of: [of] })) },
      {
        weight: 2,
        arbitrary: fc.tuple(name, tie('tree'), tie('tree')).map(([called, one, other]): Tree => {
          return { kind: 'call', name: called, of: called === 'min' || called === 'max' ? [one, other] : [one] };
        }),
      },
    ),
  }));
  return inner;
}

const decimalTexts = fc.tuple(fc.integer({ min: -9999, max: 9999 }), fc.integer({ min: 0, max: 999 })).map(([a, b]) => `${a}.${b}`);
const double = fc.oneof(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.constantFrom(0.1, 0.7, 3, 1e21, -2.5)).map((each) => each + 0);
const row = fc.record({
  i: fc.integer({ min: -50, max: 50 }),
  big: fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
  d: decimalTexts,
  dd: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map((each) => `${each}.25`),
  f: double,
  g: fc.integer({ min: -9, max: 9 }),
  any: fc.constantFrom(0.5, 3, -0.125, 0.1),
  t: fc.constantFrom('1.25', '7', '-0.5'),
  'pack.weight': decimalTexts,
  'pack.f': double,
});
type Row = typeof row extends fc.Arbitrary<infer Each> ? Each : never;

function leafOf(values: Row): (name: string) => Num | string | null {
  return (name) => {
    switch (name) {
      case 'i':
      case 'big':
        return exact('int', String(values[name]));
      case 'd':
      case 'dd':
      case 'pack.weight':
        return exact('dec', values[name]);
      case 'any':
        return exact(Number.isInteger(values.any) ? 'int' : 'dec', String(values.any));
      case 'f':
      case 'g':
      case 'pack.f':
        return { kind: 'double', value: values[name] };
      case 't':
        return values.t;
      case 'bad':
        return 'x';
      default:
        return null;
    }
  };
}

/** An expression in the syntax of modules; `from` says what its leaves belong to. */
function text(tree: Tree, from: string): string {
  const inside = (each: Tree) => text(each, from);
  switch (tree.kind) {
    case 'leaf':
      return `${from}${tree.name}`;
    case 'literal':
      return tree.text;
    case 'negation':
      return `-(${inside(tree.of)})`;
    case 'binary':
      return `(${inside(tree.left)} ${tree.operator} ${inside(tree.right)})`;
    case 'call':
      return `${tree.name}(${[...tree.of.map(inside), ...(tree.places === undefined ? [] : [String(tree.places)])].join(', ')})`;
  }
}

const keywords = new Map(
  [...plainLeaves, 't', 'bad'].map((each) => [
    each,
    each.replace(/(^|\.)(.)/g, (_, dot: string, first: string) => dot + first.toUpperCase()),
  ]),
);

function form(tree: Tree, from: string): string {
  const inside = (each: Tree) => form(each, from);
  switch (tree.kind) {
    case 'leaf':
      return `:${from}${keywords.get(tree.name)}`;
    case 'literal':
      return `${tree.text}${tree.text.includes('.') && tree.text.length % 2 === 0 ? 'M' : ''}`;
    case 'negation':
      return `(- ${inside(tree.of)})`;
    case 'binary':
      return `(${tree.operator} ${inside(tree.left)} ${inside(tree.right)})`;
    case 'call':
      return `(${[tree.name, ...tree.of.map(inside), ...(tree.places === undefined ? [] : [String(tree.places)])].join(' ')})`;
  }
}

type Target = 'answer' | 'Any' | 'Decimal' | 'Int' | 'Float';

/** The JSON that the target must hold, as its kind and its number; `422` where it takes none. */
function wanted(outcome: Outcome, target: Target): string {
  if (outcome === 'refused') return '422';
  if (outcome === null) return 'null';
  const { p, q } = written(outcome);
  const number = decimalText(p, q);
  switch (target) {
    case 'answer':
      return `${outcome.kind === 'dec' ? 'text' : 'number'} ${number}`;
    case 'Decimal':
      return `text ${number}`;
    case 'Float':
      return Number.isFinite(toDouble(outcome)) ? wanted({ kind: 'double', value: toDouble(outcome) }, 'answer') : '422';
    case 'Int': {
      const fits = outcome.kind === 'double' ? Number.isSafeInteger(outcome.value) : p % q === 0n && BigInt.asIntN(64, p / q) === p / q;
      return fits ? `number ${number}` : '422';
    }
    case 'Any': {
      const isShown = outcome.kind !== 'dec' || compared({ kind: 'double', value: toDouble(outcome) }, outcome) === 0;
      const isInteger = outcome.kind !== 'int' || BigInt.asIntN(64, p / q) === p / q;
      return `${isShown && isInteger ? 'number' : 'text'} ${number}`;
    }
  }
}

function shown(value: Value | undefined): string {
  if (value === null || value === undefined) return 'null';
  const number = value instanceof ExactNumber ? value.text : String(value);
  if (!/^-?[\d.]+(e[+-]?\d+)?$/.test(number)) return number;
  const { p, q } = written(exact('dec', number));
  return `${typeof value === 'string' ? 'text' : 'number'} ${decimalText(p, q)}`;
}

const limits = { depth: 100, keys: 1e6, items: 1e6 };

async function answerOf(served: Served, target: string, body: unknown): Promise<{ readonly status: number; readonly value: Value }> {
  const written = JSON.stringify(body, (_, each) => (typeof each === 'bigint' ? `big:${each}` : each)).replace(/"big:(-?\d+)"/g, '$1');
  const { status, text: answered } = await served.ask({
    method: 'POST',
    target,
    headers: { 'content-type': 'application/json' },
    text: written,
  });
  return { status, value: parseJson(answered, limits) };
}

function itemsOf(value: Value): readonly Value[] {
  return Array.isArray(value) ? value : [];
}

function fieldOf(value: Value, name: string): Value | undefined {
  const found: Value | undefined = Array.isArray(value) ? value[0] : value;
  return typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined;
}

interface Case {
  readonly place: string;
  readonly expression: string;
  readonly wanted: string;
  readonly found: string;
}

const attributes =
  'i Int, big Int, d Decimal, dd Decimal, f Float, g Float, none Int @optional, any Any, t String, bad String, pack Pack, prices Decimal[]';

async function inModules(values: Row, plain: readonly Tree[], texts: readonly Tree[]): Promise<readonly Case[]> {
  const leaf = leafOf(values);
  const part = (at: number) => plain.slice(at * size, (at + 1) * size);
  const [listed, compares, looped, into, filters, evented, computed, related] = [0, 1, 2, 3, 4, 5, 6, 7].map(part);
  const numeric = texts.slice(0, size).filter((each) => evaluated(each, leaf) !== 'refused');
  const set = texts.slice(size);
  const kinds = ['Decimal', 'Int', 'Float', 'Any'] as const;
  const own = [
    ...(computed ?? []).map((each, at) => `c${at} Any @optional @expr(${text(each, '')})`),
    ...numeric.map((each, at) => `k${at} Decimal @optional @expr(${text(each, '')})`),
  ];
  const model = `module m
record Pack { weight Decimal, f Float }
entity E { id Int @id, ${[attributes, ...own].join(', ')} }
entity C { no Int @id ${(related ?? []).map((each, at) => `, r${at} Any @optional @expr(${text(each, 'Of.E.')})`).join('')} }
relationship Of contains(E, C)
entity T { id Int @id, Decimal Decimal @optional, Int Int @optional, Float Float @optional, Any Any @optional }
event Ev { ${attributes} }
workflow Ev { [${(evented ?? []).map((each) => text(each, 'Ev.')).join(', ')}] }
workflow listed { {E {id? 1}} @as [e]\n [${(listed ?? []).map((each) => text(each, 'e.')).join(', ')}] }
workflow compares { {E {id? 1}} @as [e]\n [${(compares ?? []).map((each) => `${text(each, 'e.')} > 0.5`).join(', ')}] }
workflow looped { {E {id? 1}} @as [e]\n for d in e.prices { [${(looped ?? []).map((each) => text(each, 'e.').replaceAll(/\be\.d\b/g, 'd')).join(', ')}] } }
workflow into { {E? {}, @into {id E.id ${(into ?? []).map((each, at) => `, x${at} ${text(each, 'E.')}`).join('')}}} }
${(filters ?? [])
  .map(
    (each, at) => `workflow where${at} { {E? {}, @where(${text(each, 'E.')} > 0.5), @into {id E.id}} }
workflow if${at} { {E {id? 1}} @as [e]\n if (${text(each, 'e.')} > 0.5) { 1 } else { 0 } }`,
  )
  .join('\n')}
${set
  .map(
    (each, at) => `workflow create${at} { {E {id? 1}} @as [e]\n {T {id ${at}, ${kinds[at % 4]} ${text(each, 'e.')}}} }
workflow update${at} { {E {id? 1}} @as [e]\n {T {id? 1000, ${kinds[at % 4]} ${text(each, 'e.')}}} }`,
  )
  .join('\n')}
`;
  const served = await open(model);
  try {
    const { 'pack.weight': weight, 'pack.f': inner, ...flat } = values;
    const body = { ...flat, bad: 'x', pack: { weight, f: inner }, prices: [values.d, '0.1'] };
    const cases: Case[] = [];
    const note = (place: string, target: Target, each: Tree, found: Value | undefined, status = 200, looks = leaf): void => {
      cases.push({
        place,
        expression: text(each, ''),
        wanted: wanted(evaluated(each, looks), target),
        found: status === 422 ? '422' : shown(found),
      });
    };
    const made = await answerOf(served, '/m/E', { id: 1, ...body });
    if (made.status !== 201) return [{ place: 'computed', expression: model, wanted: '201', found: String(made.status) }];
    for (const [at, each] of (computed ?? []).entries()) note('computed', 'Any', each, fieldOf(made.value, `c${at}`));
    for (const [at, each] of numeric.entries()) note('computed decimal', 'Decimal', each, fieldOf(made.value, `k${at}`));
    const child = await answerOf(served, '/m/E/1/Of/C', { no: 1 });
    for (const [at, each] of (related ?? []).entries()) note('related', 'Any', each, fieldOf(child.value, `r${at}`), child.status);
    const lists: readonly (readonly [string, readonly Tree[] | undefined, Value])[] = [
      ['event', evented, (await answerOf(served, '/m/Ev', body)).value],
      ['value', listed, (await answerOf(served, '/m/listed', {})).value],
    ];
    for (const [place, all, found] of lists)
      for (const [at, each] of (all ?? []).entries()) note(place, 'answer', each, itemsOf(found)[at]);
    const held = (each: Tree): boolean => {
      const found = evaluated(each, leaf);
      return found !== null && found !== 'refused' && compared(found, exact('dec', '0.5')) > 0;
    };
    const decided = itemsOf((await answerOf(served, '/m/compares', {})).value);
    for (const [at, each] of (compares ?? []).entries())
      cases.push({ place: 'comparison', expression: text(each, ''), wanted: String(held(each)), found: String(decided[at]) });
    const rounds = itemsOf((await answerOf(served, '/m/looped', {})).value);
    for (const [round, price] of body.prices.entries()) {
      const looks = (name: string) => (name === 'd' ? exact('dec', price) : leaf(name));
      for (const [at, each] of (looped ?? []).entries()) note('loop', 'answer', each, itemsOf(rounds[round] ?? null)[at], 200, looks);
    }
    const [columns = null] = itemsOf((await answerOf(served, '/m/into', {})).value);
    for (const [at, each] of (into ?? []).entries()) note('into', 'answer', each, fieldOf(columns, `x${at}`));
    for (const [at, each] of (filters ?? []).entries()) {
      const rows = itemsOf((await answerOf(served, `/m/where${at}`, {})).value);
      cases.push({ place: 'where', expression: text(each, ''), wanted: String(held(each)), found: String(rows.length === 1) });
      const branch = (await answerOf(served, `/m/if${at}`, {})).value;
      cases.push({ place: 'if', expression: text(each, ''), wanted: String(held(each)), found: String(branch === 1) });
    }
    await answerOf(served, '/m/T', { id: 1000 });
    for (const [at, each] of set.entries()) {
      const kind = kinds[at % 4] ?? 'Any';
      // For an attribute that is no number, texts are put together: that is told elsewhere.
      if (kind === 'Any' && /\bt\b|\bbad\b/.test(text(each, ''))) continue;
      for (const place of ['create', 'update']) {
        const { status, value } = await answerOf(served, `/m/${place}${at}`, {});
        note(`${place} ${kind}`, kind, each, fieldOf(value, kind), status);
      }
    }
    return cases;
  } finally {
    await served.close();
  }
}

/** Whether nothing in it is absent: code of Clojure would fail there. */
function isWhole(tree: Tree, leaf: (name: string) => Num | string | null): boolean {
  const parts =
    tree.kind === 'negation' ? [tree.of] : tree.kind === 'binary' ? [tree.left, tree.right] : tree.kind === 'call' ? tree.of : [];
  const found = evaluated(tree, leaf);
  return found !== null && found !== 'refused' && parts.every((each) => isWhole(each, leaf));
}

async function inForms(values: Row, plain: readonly Tree[], texts: readonly Tree[]): Promise<readonly Case[]> {
  const leaf = leafOf(values);
  const computed = plain.slice(0, size);
  const coded = plain.slice(size).filter((each) => isWhole(each, leaf));
  const model = `(component :M)
(record :Pack {:Weight :Decimal :F :Float})
(entity :E {:Id {:type :Int :guid true} :I :Int :Big :Int :D :Decimal :Dd :Decimal :F :Float :G :Float :None {:type :Int :optional true} :Any :Any
  :T :String :Bad :String :Pack :Pack
  ${computed.map((each, at) => `:C${at} {:type :Any :optional true :expr '${form(each, '')}}`).join('\n  ')}})
(entity :T {:Id {:type :Int :guid true} :Decimal {:type :Decimal :optional true}})
${texts
  .map(
    (each, at) => `(dataflow :V${at} {:E {:Id? 1} :as [:X]} [:eval '${form(each, 'X.')}])
(dataflow :S${at} {:E {:Id? 1} :as [:X]} {:T {:Id ${at} :Decimal '${form(each, 'X.')}} :as :T} :T.Decimal)`,
  )
  .join('\n')}
${coded.map((each, at) => `(dataflow :L${at} {:E {:Id? 1} :as [:X]} [:eval '(let [z 0] ${form(each, 'X.')})])`).join('\n')}
`;
  const served = await open({ 'm.platform': model }, { surfaces: ['earlier'] });
  try {
    const { 'pack.weight': weight, 'pack.f': inner, i, big, d, dd, f, g, any, t } = values;
    const body = { Id: 1, I: i, Big: big, D: d, Dd: dd, F: f, G: g, Any: any, T: t, Bad: 'x', Pack: { Weight: weight, F: inner } };
    const made = await answerOf(served, '/api/M/E', { 'M/E': body });
    const cases: Case[] = [];
    const note = (place: string, target: Target, each: Tree, found: Value | undefined, status = 200): void => {
      cases.push({
        place,
        expression: form(each, ''),
        wanted: wanted(evaluated(each, leaf), target),
        found: status === 422 ? '422' : shown(found),
      });
    };
    const [first = null] = itemsOf(fieldOf(made.value, 'result') ?? null);
    for (const [at, each] of computed.entries()) note('quoted, computed', 'Any', each, fieldOf(first, `C${at}`), made.status);
    const ask = (name: string) => answerOf(served, `/api/M/${name}`, { [`M/${name}`]: {} });
    for (const [at, each] of texts.entries()) {
      const [said, stored] = [await ask(`V${at}`), await ask(`S${at}`)];
      note('quoted', 'answer', each, said.value, said.status);
      note('quoted, created', 'Decimal', each, stored.value, stored.status);
    }
    for (const [at, each] of coded.entries()) {
      const { status, value } = await ask(`L${at}`);
      note('code', 'answer', each, value, status);
    }
    return cases;
  } finally {
    await served.close();
  }
}

let checked = 0;

test.each(['modules', 'forms'] as const)('random expressions in %s give what fractions give', { timeout: 3_600_000 }, async (syntax) => {
  const plain = fc.array(trees(...plainLeaves), { minLength: 8 * size, maxLength: 8 * size });
  const texts = fc.array(trees('i', 'd', 'f', 't', 'bad', 'none'), { minLength: 5 * size, maxLength: 5 * size });
  await fc.assert(
    fc.asyncProperty(row, plain, texts, async (values, some, others) => {
      const cases = syntax === 'modules' ? await inModules(values, some, others) : await inForms(values, some, others);
      checked += cases.length;
      const wrong = cases.filter((each) => each.wanted !== each.found);
      expect([wrong.slice(0, 5), wrong.length === 0 ? {} : values]).toEqual([[], {}]);
    }),
    { numRuns: runs, endOnFailure: true },
  );
  if (isLarge) console.info(`${checked} expressions`);
});
