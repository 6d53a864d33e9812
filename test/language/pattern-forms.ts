// The forms of patterns that a source holds: one name for each way to say something, found by walking what a front end read.

import { unreachable } from '../../src/errors.ts';
import type { Declaration, Unit } from '../../src/model/declaration.ts';
import type {
  Aggregate,
  Alias,
  BinaryOperator,
  ComparisonOperator,
  Expression,
  Handler,
  InstancePattern,
  Join,
  Pattern,
  PatternAttribute,
  PatternOptions,
  Statement,
  UnaryOperator,
} from '../../src/model/pattern.ts';

type Operation = 'create' | 'update' | 'delete';

export type FormName =
  | `pattern ${Pattern['kind']}`
  | `value ${Expression['kind']}`
  | `operator ${BinaryOperator | UnaryOperator}`
  | `test ${ComparisonOperator}`
  | `option ${keyof PatternOptions}`
  | `join ${Join['side']}`
  | `aggregate ${Aggregate['function']}`
  | `suffix ${Exclude<keyof Statement, 'kind' | 'pattern' | 'span'>}`
  | `on ${Handler['on']}`
  | `alias ${Alias['kind'] | 'skip' | 'rest'}`
  | `instance ${'create' | 'query' | 'update' | 'all' | 'nested' | 'links'}`
  | `link ${'made' | 'found' | 'attributes' | 'id'}`
  | `${'before' | 'after'} ${Operation}`
  | `runs ${'event' | 'later'}`
  | 'awaited call'
  | 'purge'
  | 'rule'
  | 'rule on delete'
  | 'conditional event'
  | 'start-up';

type Note = (form: FormName) => void;

export function formsOf({ declarations }: Unit): ReadonlySet<FormName> {
  const found = new Set<FormName>();
  for (const each of declarations) declaration(each, (form) => found.add(form));
  return found;
}

function declaration(each: Declaration, note: Note): undefined {
  switch (each.kind) {
    case 'startup':
      note('start-up');
      return statement(each.statement, note);
    case 'rule':
      note(each.onDelete ? 'rule on delete' : 'rule');
      return statements([...each.conditions, ...each.body], note);
    case 'workflow': {
      const { trigger, condition, body } = each;
      const operation = (['create', 'update', 'delete'] as const).find((name) => name === trigger?.operation.text);
      if (trigger !== undefined && operation !== undefined) note(`${trigger.when} ${operation}`);
      if (condition !== undefined) note('conditional event');
      return statements(body, note);
    }
    case 'entity':
      for (const annotation of each.annotations)
        if (annotation.kind === 'trigger') for (const { async: later } of annotation.actions) note(later ? 'runs later' : 'runs event');
      return;
    default:
      return;
  }
}

function statements(all: readonly Statement[] | undefined, note: Note): undefined {
  for (const each of all ?? []) statement(each, note);
}

function statement({ pattern: what, as, catches, throws, empty, then }: Statement, note: Note): undefined {
  pattern(what, note);
  if (as !== undefined) alias(as, note);
  if (catches !== undefined) note('suffix catches');
  if (throws !== undefined) note('suffix throws');
  handlers([...(catches ?? []), ...(throws ?? [])], note);
  if (empty !== undefined) note('suffix empty');
  statements(empty === undefined ? [] : [empty], note);
  if (then !== undefined) note('suffix then');
  statements(then, note);
}

function handlers(all: readonly Handler[], note: Note): undefined {
  for (const { on, handler } of all) {
    note(`on ${on}`);
    statement(handler, note);
  }
}

function alias(as: Alias, note: Note): undefined {
  note('suffix as');
  note(`alias ${as.kind}`);
  if (as.kind === 'whole') return;
  if (as.names.includes(undefined)) note('alias skip');
  if (as.rest !== undefined) note('alias rest');
}

function pattern(what: Pattern, note: Note): undefined {
  note(`pattern ${what.kind}`);
  switch (what.kind) {
    case 'instance':
      return instance(what, note);
    case 'expression':
      return value(what.expression, note);
    case 'full-text':
      return values([what.text, ...(what.options === undefined ? [] : [what.options])], note);
    case 'delete':
      if (what.purge) note('purge');
      return instance(what.target, note);
    case 'for':
      return statements([what.source, ...what.body], note);
    case 'if':
      value(what.condition, note);
      return statements([...what.then, ...(what.otherwise ?? [])], note);
    case 'return':
      return statement(what.value, note);
    case 'throw':
      return value(what.reason, note);
    case 'match':
      values([what.subject, ...what.cases.map((each) => each.value)], note);
      return statements([...what.cases.flatMap((each) => each.body), ...(what.otherwise ?? [])], note);
    case 'block':
      return statements(what.statements, note);
    case 'eval':
      return values([what.value, ...(what.check === undefined ? [] : [what.check])], note);
    case 'await':
      statements([what.body, ...(what.done ?? [])], note);
      return handlers(what.handlers, note);
    case 'path':
      for (const each of what.steps) instance(each, note);
      return;
    case 'query':
      return value(what.query, note);
    case 'rethrow':
      return statement(what.after, note);
    default:
      return unreachable(what);
  }
}

function instance({ all, attributes: given, nested, links, options: said }: InstancePattern, note: Note): undefined {
  const queries = all || given.some((each) => each.query !== undefined) || said.condition !== undefined || said.where !== undefined;
  const sets = given.some((each) => each.query === undefined);
  note(all ? 'instance all' : queries ? (sets ? 'instance update' : 'instance query') : 'instance create');
  attributes(given, note);
  if (nested.length > 0) note('instance nested');
  for (const each of nested.flatMap((one) => one.patterns)) instance(each, note);
  if (links !== undefined) note('instance links');
  for (const { query, attributes: own, other, id } of links ?? []) {
    note(query ? 'link found' : 'link made');
    if (own.length > 0) note('link attributes');
    attributes(own, note);
    if (id !== undefined) note('link id');
    values(
      [other, id].filter((each) => each !== undefined),
      note,
    );
  }
  options(said, note);
}

function attributes(all: readonly PatternAttribute[], note: Note): undefined {
  for (const { query, value: given } of all) {
    if (query !== undefined) note(`test ${query}`);
    column(given, note);
  }
}

function column(given: Expression | Aggregate, note: Note): undefined {
  if (given.kind === 'aggregate') note(`aggregate ${given.function}`);
  else value(given, note);
}

const optionNames: Readonly<Record<keyof PatternOptions, true>> = {
  from: true,
  upsert: true,
  distinct: true,
  joins: true,
  into: true,
  where: true,
  condition: true,
  groupBy: true,
  orderBy: true,
  limit: true,
  offset: true,
  withTypes: true,
  ignored: true,
};

function options(said: PatternOptions, note: Note): undefined {
  const isName = (name: string): name is keyof PatternOptions => Object.hasOwn(optionNames, name);
  for (const name of Object.keys(said)) if (isName(name)) note(`option ${name}`);
  for (const { side, attributes: on } of said.joins ?? []) {
    note(`join ${side}`);
    attributes(on, note);
  }
  for (const each of said.into ?? []) column(each.value, note);
  attributes(said.where ?? [], note);
  values(
    [said.from, said.condition, said.limit, said.offset].filter((each) => each !== undefined),
    note,
  );
}

function values(all: readonly Expression[], note: Note): undefined {
  for (const each of all) value(each, note);
}

function value(what: Expression, note: Note): undefined {
  note(`value ${what.kind}`);
  switch (what.kind) {
    case 'literal':
    case 'reference':
    case 'code':
      return;
    case 'list':
      return values(what.items, note);
    case 'map':
      return values(
        what.entries.map((each) => each.value),
        note,
      );
    case 'call':
      if (what.awaited) note('awaited call');
      return values(what.arguments, note);
    case 'unary':
      note(`operator ${what.operator}`);
      return value(what.operand, note);
    case 'binary':
      note(`operator ${what.operator}`);
      return values([what.left, what.right], note);
    case 'pattern':
      return instance(what.pattern, note);
    case 'quote':
    case 'unquote':
      return value(what.value, note);
    default:
      return unreachable(what);
  }
}
