// The text of a program in each of the two syntaxes.

import { type Body, failure, inLoops, itemCount, type Source, type Statement, seenAtEnd, seenByProbes } from './program.ts';

interface Syntax {
  value(value: number | string): string;
  list(items: readonly string[]): string;
  named(value: string, name: string): string;
  parts(value: string, names: readonly (string | undefined)[], rest: string): string;
  item(id: number): string;
  itemsUpTo(most: number): string;
  loop(variable: string, source: string, body: string): string;
  failing(loop: string, handler: string): string;
  choice(holds: boolean, then: string, otherwise: string): string;
  found(query: string, then: string, empty: string): string;
  call(value: string): string;
  readonly stop: string;
  readonly message: string;
  readonly itemName: string;
  reference(name: string): string;
}

const current: Syntax = {
  value: String,
  list: (items) => `[${items.join(', ')}]`,
  named: (value, name) => `${value} @as ${name}`,
  parts: (value, names, rest) => `${value} @as [${[...names.map((each) => each ?? '_'), '__', rest].join(', ')}]`,
  item: (id) => `{Item {id? ${id}}}`,
  itemsUpTo: (most) => `{Item {id?<= ${most}}, @orderBy(id)}`,
  loop: (variable, source, body) => `for ${variable} in ${source} {\n${body}\n}`,
  failing: (loop, handler) => `${loop} @catch {error if (true) {\n${handler}\n}}`,
  choice: (holds, then, otherwise) => `if (${holds}) {\n${then}\n} else {\n${otherwise}\n}`,
  found: (query, then, empty) => `${query} @then {\n${then}\n} @empty if (true) {\n${empty}\n}`,
  call: (value) => `{other {x ${value}}} @as a`,
  stop: `throw("${failure}")`,
  message: 'Error.message @as b',
  itemName: 'm/Item.id',
  reference: (name) => name,
};

/** Loops over `w` are those without a name, whose elements are `:%`. */
const earlier: Syntax = {
  value: String,
  list: (items) => `[${items.join(' ')}]`,
  named: (value, name) => `[:value ${value} :as :${name}]`,
  parts: (value, names, rest) => `[:value ${value} :as [${[...names.map((each) => `:${each ?? '_'}`), ':&', `:${rest}`].join(' ')}]]`,
  item: (id) => `{:Item {:Id? ${id}}}`,
  itemsUpTo: (most) => `{:Item? {:where [:<= :Id ${most}] :order-by [:Id]}}`,
  loop: (variable, source, body) => `[:for-each ${variable === inLoops ? source : `[${source} :as :${variable}]`}\n${body}]`,
  failing: (loop, handler) => `[:try ${loop} :error [:do\n${handler}]]`,
  choice: (holds, then, otherwise) => `[:match [:= ${holds} true] [:do\n${then}] [:do\n${otherwise}]]`,
  found: (query, then, empty) => `[:try ${query} :ok [:do\n${then}] :empty [:do\n${empty}]]`,
  call: (value) => `{:Other {:x ${value}} :as :a}`,
  stop: `[:throw "${failure}"]`,
  message: '[:value :Error.message :as :b]',
  itemName: ':Item.Id',
  reference: (name) => (name === inLoops ? ':%' : `:${name}`),
};

function render(statement: Statement, isInLoop: boolean, syntax: Syntax): string {
  const body = (statements: Body, inside = isInLoop): string => statements.map((each) => render(each, inside, syntax)).join('\n');
  const operand = (given: Extract<Statement, { kind: 'bind' | 'call' }>['value']): string =>
    given.kind === 'number' ? syntax.value(given.value) : syntax.reference(given.name);
  const from = (source: Source): string =>
    source.kind === 'values' ? syntax.list(source.values.map(syntax.value)) : syntax.itemsUpTo(source.most);
  switch (statement.kind) {
    case 'bind':
      return syntax.named(operand(statement.value), statement.name);
    case 'parts':
      return syntax.parts(syntax.list(statement.values.map(syntax.value)), statement.names, statement.rest);
    case 'probe':
      return syntax.named(syntax.list([...seenByProbes(isInLoop).map(syntax.reference), syntax.itemName]), statement.name);
    case 'find':
      return statement.as === undefined ? syntax.item(statement.id) : namedFind(statement.id, statement.as, syntax);
    case 'loop':
      return syntax.loop(statement.variable, from(statement.source), body(statement.body, isInLoop || statement.variable === inLoops));
    case 'failing': {
      const inside = body(statement.body, isInLoop || statement.variable === inLoops);
      const loop = syntax.loop(statement.variable, from(statement.source), [inside, syntax.stop].join('\n'));
      return syntax.failing(loop, [syntax.message, body(statement.handler)].join('\n'));
    }
    case 'if':
      return syntax.choice(statement.holds, body(statement.first), body(statement.second));
    case 'found':
      return syntax.found(syntax.item(statement.id), body(statement.first), body(statement.second));
    case 'embedded':
      return syntax.named(syntax.list([syntax.item(statement.id), syntax.value(5)]), statement.name);
    case 'call':
      return syntax.call(operand(statement.value));
  }
}

function namedFind(id: number, name: string, syntax: Syntax): string {
  return syntax === current ? `${current.item(id)} @as ${name}` : `{:Item {:Id? ${id}} :as :${name}}`;
}

function renderAll(statements: Body, syntax: Syntax): string {
  const end = syntax.list([...seenAtEnd.map(syntax.reference), syntax.itemName]);
  return [...statements.map((each) => render(each, false, syntax)), end].join('\n');
}

const ids = Array.from({ length: itemCount }, (_, index) => index + 1);

export function currentModel(programs: readonly Body[]): string {
  return `module m
entity Item { id Int @id }
event other { x Any @optional }
workflow other {
7 @as c
for a in other.x { [a, c] @as b } @as b
[b, other.x, c]
}
${programs.map((each, index) => `workflow p${index} {\n${renderAll(each, current)}\n}`).join('\n')}
${ids.map((id) => `{Item {id ${id}}}`).join('\n')}
`;
}

export function earlierModel(programs: readonly Body[]): string {
  return `(component :M)
(entity :Item {:Id {:type :Int :guid true}})
(event :Other {:x {:type :Any :optional true}})
(dataflow :Other
[:value 7 :as :c]
[:for-each [:Other.x :as :a] [:value [:a :c] :as :b] :as :b]
[:value [:b :Other.x :c]])
${programs.map((each, index) => `(dataflow :P${index}\n${renderAll(each, earlier)})`).join('\n')}
${ids.map((id) => `{:Item {:Id ${id}}}`).join('\n')}
`;
}
