// In charge of generated texts of the earlier surface: every construct of its grammar, as a person could have written it.

import fc, { type Arbitrary } from 'fast-check';

const few = { maxLength: 3 };
const type = fc.constantFrom('E', 'F', 'A/E', 'B/G', 'R');
const attribute = fc.constantFrom('No', 'Name', 'größe', 'x_1', 'Kind');
const alias = fc.constantFrom('X', 'Y', 'Rest');
const plainType = fc.constantFrom('String', 'Int', 'Decimal', 'Now', 'Identity', 'Platform.Kernel.Lang/Boolean', 'R', 'A/R');
const literal = fc.oneof(
  fc.constantFrom('nil', 'true', '1', '-2.50M', '1/2', '0x1F', '\\a', '##Inf', '"a\nb"', '#uuid "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"'),
  fc.integer().map(String),
  fc.string({ maxLength: 5 }).map((each) => JSON.stringify(each)),
);

const depth = { depthIdentifier: 'earlier', depthSize: 'small', maxDepth: 3, withCrossShrink: true } as const;

function spaced(parts: readonly string[]): string {
  return parts.join(' ');
}

/** Some of these, each at most once. */
function someOf(...parts: readonly Arbitrary<string>[]): Arbitrary<string> {
  return fc.tuple(...parts.map((each) => fc.option(each, { nil: '', freq: 2 }))).map((each) => each.filter((one) => one !== '').join(' '));
}

function entries(key: Arbitrary<string>, value: Arbitrary<string>, mark = ''): Arbitrary<string> {
  return fc
    .uniqueArray(fc.tuple(key, value), { maxLength: 3, selector: ([name]) => name })
    .map((pairs) => spaced(pairs.map(([name, each]) => `:${name}${mark} ${each}`)));
}

const reference = fc.oneof(
  alias.map((each) => `:${each}`),
  fc.tuple(alias, attribute).map(([first, second]) => `:${first}.${second}`),
  fc.tuple(type, attribute).map(([first, second]) => `:${first}.${second}`),
  attribute.map((each) => `:${each}`),
  fc.constantFrom(':%', ':%.No', ':D.Name', ':Instance.No', ':EventContext.User', ':X.__Id__', ':auth.user'),
);

const comparison = fc.constantFrom('=', '<>', '<', '<=', '>', '>=', 'like');

type Grammar = {
  readonly value: string;
  readonly call: string;
  readonly condition: string;
  readonly test: string;
  readonly pattern: string;
  readonly statement: string;
  readonly body: string;
};

const { statement, pattern, condition, call } = fc.letrec<Grammar>((tie) => {
  const value = tie('value');
  const body = tie('body');
  const handlers = entries(fc.constantFrom('not-found', 'error', 'declined'), body);
  return {
    value: fc.oneof(
      depth,
      literal,
      reference,
      fc.array(value, few).map((items) => `[${spaced(items)}]`),
      entries(fc.constantFrom('a', 'b-c'), value).map((each) => `{${each}}`),
      // One quote for all of it: a call inside of it that is quoted once more is data, which nobody means.
      tie('call').map((each) => `'${each.replaceAll("'(", '(')}`),
      tie('pattern'),
      value.map((each) => `[:q# {:a [:uq# ${each}] :b [:c "d"]}]`),
      fc.constantFrom('slot', '(compute 1)', "'(if :X 1 2)", '#(inc %)', '#{1 2}'),
    ),
    call: fc.oneof(
      fc
        .tuple(fc.constantFrom('+', '-', '*', 'str', 'and', 'f', 'my.ns/g', 'rates/h', '='), tie('value'), fc.array(tie('value'), few))
        .map(([head, first, rest]) => `(${spaced([head, first, ...rest])})`),
      fc.tuple(fc.constantFrom('not', '-', 'await'), tie('call')).map(([head, inner]) => `(${head} ${inner})`),
      fc.constantFrom('(now)', '(utc-now)', '(uuid)', '(f)'),
    ),
    condition: fc.oneof(
      depth,
      fc.tuple(comparison, value, value).map(([word, left, right]) => `[:${word} ${left} ${right}]`),
      fc.tuple(value, value, reference).map(([low, high, each]) => `[:between ${low} ${high} ${each}]`),
      fc.tuple(fc.array(literal, few), reference).map(([items, each]) => `[:in [${spaced(items)}] ${each}]`),
      fc
        .tuple(fc.constantFrom('and', 'or'), fc.array(tie('condition'), { minLength: 1, maxLength: 3 }))
        .map(([word, each]) => `[:${word} ${spaced(each)}]`),
      tie('condition').map((each) => `[:not ${each}]`),
    ),
    test: fc.oneof(
      depth,
      value,
      fc.tuple(comparison, value).map(([word, each]) => `[:${word} ${each}]`),
      fc.tuple(literal, literal).map(([low, high]) => `[:between ${low} ${high}]`),
      fc.array(literal, few).map((items) => `[:in [${spaced(items)}]]`),
      fc
        .tuple(
          fc.constantFrom('and', 'or'),
          fc.array(
            fc.tuple(comparison, value).map(([word, each]) => `[:${word} ${each}]`),
            { minLength: 1, maxLength: 2 },
          ),
        )
        .map(([word, each]) => `[:${word} ${spaced(each)}]`),
    ),
    pattern: fc.oneof(
      fc
        .tuple(
          type,
          entries(attribute, value),
          entries(attribute, tie('test'), '?'),
          someOf(
            value.map((each) => `:from ${each}`),
            fc.constant(':upsert true'),
            links(value),
            nested(tie('pattern')),
            tie('condition').map((each) => `:where ${each}`),
          ),
        )
        .map(([name, set, asked, options]) => `{:${name} {${set} ${asked}} ${options}}`),
      fc
        .tuple(type, entries(attribute, tie('test'), '?'), queryOptions(value, tie('condition')), joins(value))
        .map(([name, asked, inner, outer]) => `{:${name}? {${asked} ${inner}} ${outer}}`),
      alias.map((each) => `{:${each} {:No 1}}`),
    ),
    statement: fc.oneof(
      depth,
      fc.tuple(tie('pattern'), suffix(handlers)).map(([each, tail]) => `${each.slice(0, -1)} ${tail}}`),
      reference,
      type.map((each) => `:${each}?`),
      call_(tie('call'), suffix(handlers)),
      fc
        .tuple(value, fc.array(fc.tuple(literal, body), few), fc.option(body, { nil: '' }), suffix(handlers))
        .map(([each, cases, rest, tail]) => `[:match ${each} ${spaced(cases.flat())} ${rest} ${tail}]`),
      fc
        .tuple(fc.array(fc.tuple(tie('condition'), body), { minLength: 1, maxLength: 3 }), fc.option(body, { nil: '' }), suffix(handlers))
        .map(([cases, rest, tail]) => `[:match ${spaced(cases.flat())} ${rest} ${tail}]`),
      fc
        .tuple(tie('statement'), fc.array(tie('statement'), few), suffix(handlers))
        .map(([source, inner, tail]) => `[:for-each ${source} ${spaced(inner)} ${tail}]`),
      fc
        .tuple(tie('statement'), fc.array(tie('statement'), few))
        .map(([source, inner]) => `[:for-each [${source} :as :El] ${spaced(inner)}]`),
      fc
        .tuple(tie('statement'), handlers, fc.option(body, { nil: undefined }), suffix(handlers))
        .map(
          ([each, handled, done, tail]) =>
            `[:try ${each} ${done === undefined ? '' : `:ok ${done}`} ${handled} [:error :not-found] :X ${tail}]`,
        ),
      fc.tuple(tie('statement'), handlers).map(([each, handled]) => `[:await ${each} :ok :X ${handled}]`),
      fc.tuple(type, entries(attribute, tie('test'))).map(([name, each]) => `[:delete :${name} {${each}}]`),
      fc.tuple(type, fc.constantFrom(':*', ':purge', '7')).map(([name, each]) => `[:delete :${name} ${each}]`),
      fc.tuple(value, fc.constantFrom('', ':check :E', ':check even?')).map(([each, tail]) => `[:eval ${each} ${tail}]`),
      fc
        .tuple(type, attribute, literal, type)
        .map(([first, key, each, last]) => `[:? {:${first} {:${key} ${each}}} :Rel :${last} :as [:X :_ :& :Rest]]`),
      reference.map((each) => `[:query ${each}]`),
      tie('statement').map((each) => `[:rethrow-after ${each}]`),
      fc.constantFrom('[:throw "no"]', '[:return :X]', '[:search :E "words"]'),
    ),
    body: fc.oneof(
      depth,
      tie('statement'),
      fc.array(tie('statement'), { minLength: 2, maxLength: 3 }).map((each) => `[:do ${spaced(each)}]`),
    ),
  };
});

function call_(given: Arbitrary<string>, tail: Arbitrary<string>): Arbitrary<string> {
  return fc.tuple(given, tail).map(([each, behind]) => `[:eval '${each} ${behind}]`);
}

function suffix(handlers: Arbitrary<string>): Arbitrary<string> {
  return someOf(
    fc.constantFrom(':as :X', ':as [:X :_ :Y]', ':as [:X :& :Rest]'),
    handlers.map((each) => `:throws {${each}}`),
  );
}

function links(value: Arbitrary<string>): Arbitrary<string> {
  const link = fc.oneof(
    fc.tuple(fc.constantFrom('Rel', 'Rel?', 'B/Rel'), value).map(([name, other]) => `[:${name} ${other}]`),
    fc.tuple(value, value).map(([other, id]) => `[{:Rel {:Since "2020" :No? 1}} ${other} ${id}]`),
    fc.constant('[:Rel :X :_]'),
  );
  return fc.array(link, { minLength: 1, maxLength: 2 }).map((each) => `:-> [${spaced(each)}]`);
}

function nested(inner: Arbitrary<string>): Arbitrary<string> {
  return fc.oneof(
    inner.map((each) => `:with [[:Rel ${each}]]`),
    fc.array(inner, { maxLength: 2 }).map((each) => `:with [[:Rel [${spaced(each)}]]]`),
  );
}

function queryOptions(value: Arbitrary<string>, where: Arbitrary<string>): Arbitrary<string> {
  return someOf(
    where.map((each) => `:where ${each}`),
    fc.constantFrom(':order-by [[:No :desc] :Name]', ':order-by :No', ':order-by [:No :desc]'),
    value.map((each) => `:limit ${each}`),
    fc.constant(':group-by [:Name]'),
    fc.constantFrom(':count :*', ':sum :No', ':max :No'),
  );
}

function joins(value: Arbitrary<string>): Arbitrary<string> {
  return someOf(
    value.map((each) => `:join [{:F {:No? ${each}}}]`),
    value.map((each) => `:left-join [{:F {:No? ${each}}}]`),
    value.map((each) => `:with-attributes {:N ${each} :C [:count :No]}`),
    fc.constant(':distinct true'),
    fc.constant(':timeout-ms 10'),
  );
}

const properties = someOf(
  fc.constantFrom(':guid true', ':id true'),
  fc.constantFrom(':optional true', ':read-only true'),
  literal.map((each) => `:default ${each}`),
  fc.constantFrom(':oneof ["a" "b"]', ':oneof [1 2]', ':oneof [:a :b]', ':oneof :E.No'),
  fc.constantFrom(':check even?', ':check (fn [x] x)', ':check rates/valid'),
  fc.constantFrom(':format "[a-z]+"', ':format #"a\\d"'),
  call.map((each) => `:expr '${each}`),
  fc.constantFrom(
    ':ref :E.No',
    ':unique true',
    ':indexed true',
    ':immutable true',
    ':write-only true',
    ':secure-hash true',
    ":label 'L",
    ':order 1',
  ),
  literal.map((each) => `:meta {:doc ${each} "other key" [1 {:a :b}]}`),
);

const specification: Arbitrary<string> = fc.oneof(
  plainType.map((each) => `:${each}`),
  fc.tuple(plainType, properties).map(([name, each]) => `{:type :${name} ${each}}`),
  fc.tuple(fc.constantFrom('listof', 'setof'), plainType).map(([word, name]) => `{:${word} :${name}}`),
  properties.map((each) => `{${each}}`),
  fc.constantFrom(':E.No', ':A/E.No'),
  call.map((each) => `'${each}`),
);

const attributes = entries(attribute, specification);

const rights = fc.constantFrom(
  ':rbac [{:roles ["user" "*"] :allow [:create :*]}]',
  ':rbac [{:allow [:read] :where [:and [:= :No 1] [:= :Name :auth.user]]}]',
  ':rbac []',
);

const meta = someOf(
  fc.constant(':inherits :B/Base'),
  fc.constantFrom(':unique [:No :Name]', ':unique :No', ':unique [[:No] [:Name :Kind]]'),
  fc.constant(':required-attributes [:No]'),
  literal.map((each) => `:doc ${each}`),
  fc.constantFrom(':audit true', ':crud-exclusive-for-owner true', ':creator-owns false', ':was :Old', ':order [:No]', '"a key" 1'),
  fc.constantFrom(':after {:create :Ev :update [:B/Ev :async]}', ':before {:delete :Ev}'),
).map((each) => (each === '' ? '' : `:meta {${each}}`));

const declared = fc.constantFrom('E', 'F', 'A/E', 'R', 'Ev');
const typeDeclaration = fc
  .tuple(fc.constantFrom('entity', 'record', 'event'), declared, attributes, meta, fc.option(rights, { nil: '' }))
  .map(([word, name, each, about, rules]) => `(${word} :${name} {${each} ${about} ${rules}})`);

const relationship = fc
  .tuple(
    declared,
    fc.constantFrom(
      ':contains [:E :F]',
      ':contains [:E :B/G :as [:P :C] :cascade-on-delete false]',
      ':between [:E :E :as [:From :To]] :one-one true',
      ':between [:E :A/F] :as [:X :Y] :one-many true :doc "d"',
    ),
    attributes,
    fc.constantFrom(
      '',
      ':rbac {:owner :From :assign {:ownership [:To :-> :From]}}',
      ':rbac [{:roles ["x"] :allow [:create]} {:owner :To}]',
      ':rbac {:inherit true}',
      ':rbac {:inherit true :rules [{:roles ["x"] :allow [:create]}]}',
    ),
  )
  .map(([name, ends, each, rules]) => `(relationship :${name} {:meta {${ends}} ${each} ${rules}})`);

const head = fc.oneof(
  fc.constantFrom(':D', ':A/D', '[:after :create :E]', '[:before :delete :B/G]', '[:D :public true]', '{:D {}}'),
  condition.map((each) => `[:D :when ${each} :on :F :where [:= :F.No :E.No]]`),
);
const dataflow = fc
  .tuple(head, fc.option(fc.constant('"what it does"'), { nil: '' }), fc.array(statement, { maxLength: 3 }))
  .map(([event, text, body]) => `(dataflow ${event} ${body.length === 0 ? '' : text} ${spaced(body)})`);

const others: Arbitrary<string> = fc.oneof(
  specification.map((each) => `(attribute :Gender ${each})`),
  fc.constant('(attribute :Emps {:extend :E :type :F :relationship :Rel :order 2})'),
  pattern,
  statement.map((each) => `(pattern ${each})`),
  fc.tuple(pattern, statement).map(([first, second]) => `(rule :Ru ${first} :then ${second} {:meta {:priority 10}})`),
  fc.constantFrom(
    '(rule :Ru [:delete {:E {:No [:> 3] :Name "x"} :as :X}] :then {:F {:No :X.No}})',
    '(resolver :Re {:with-methods {:create rates/make :query (fn [q] nil)} :paths [:E :B/G] :compose? true :config {:a 1}})',
    '(defn f [x] ; inside\n  (inc x))',
    '(def limit 10)',
    '(view :V {:A :E.No :query {:E? {}}})',
  ),
);

const declaration = fc.oneof(typeDeclaration, relationship, dataflow, others);

/** A whole file. */
export const text: Arbitrary<string> = fc
  .tuple(fc.constantFrom('(component :A)', '(component :A {:refer [:B]})'), fc.boolean(), fc.array(declaration, { maxLength: 4 }))
  .map(([component, external, declarations]) => {
    return [component, `(import "rates.js" :as :rates${external ? ' :external true' : ''})`, ...declarations].join('\n\n');
  });
