// In charge of reading annotations: the plain ones, and those with a grammar of their own (`@rbac`, triggers, `@assign`, `@actions`).
// What an annotation means and where it may stand is decided by `link`.

import type { Annotation, RbacRule, TriggerAction } from '../../../model/declaration.ts';
import type { Expression, Name } from '../../../model/pattern.ts';
import {
  accept,
  at,
  expect,
  fail,
  next,
  type Parser,
  peek,
  readItems,
  readName,
  readSimpleName,
  report,
  spanFrom,
  tokenSpan,
} from './parser.ts';
import { isMap, readMap } from './pattern.ts';

/** Where an annotation stands: before a body, a brace behind it may open that body. */
type AnnotationPlace = 'header' | 'body';

export function readAnnotations(parser: Parser, place: AnnotationPlace): readonly Annotation[] {
  const annotations: Annotation[] = [];
  while (at(parser, '@') && !opensNext(parser)) annotations.push(readAnnotation(parser, place));
  return annotations;
}

const opening = ['public', 'schedule', 'internal', 'runAs'];

/** `@public` or `@schedule` on a new line belongs to the declaration behind it. */
function opensNext(parser: Parser): boolean {
  return peek(parser).newline && opening.some((each) => at(parser, each, 1));
}

export function readAnnotation(parser: Parser, place: AnnotationPlace): Annotation {
  const { start } = expect(parser, '@');
  const name = readSimpleName(parser, 'the name of an annotation');
  if (name.text === 'rbac' || (at(parser, '[') && at(parser, '(', 1))) {
    return { kind: 'rbac', name, rules: readRules(parser), span: spanFrom(parser, start) };
  }
  if (isTrigger(parser, name, place)) return { kind: 'trigger', name, actions: readTrigger(parser), span: spanFrom(parser, start) };
  if (name.text === 'assign') return readAssign(parser, name, start);
  if (name.text === 'actions' && peek(parser).kind === 'name') return readActions(parser, name, start);
  return { kind: 'plain', name, arguments: readArguments(parser, name), span: spanFrom(parser, start) };
}

/** `@name`, `@name(arguments)`, `@name {map}`, `@name [list]`. */
function readArguments(parser: Parser, name: Name): readonly Expression[] {
  if (at(parser, '(') && !peek(parser).newline) {
    next(parser);
    return readItems(parser, ')', parser.readExpression);
  }
  if (name.text === 'meta' && at(parser, '{')) return [readMap(parser)];
  if (peek(parser).newline) return [];
  if (at(parser, '{') && isMap(parser) && at(parser, ':', 2)) return [readMap(parser)];
  return at(parser, '[') ? [parser.readExpression(parser)] : [];
}

function readRules(parser: Parser): readonly RbacRule[] {
  expect(parser, '[');
  return readItems(parser, ']', readRule);
}

function readRule(parser: Parser): RbacRule {
  const { start } = expect(parser, '(');
  const rule: { roles?: readonly Name[]; owners?: boolean; allow?: readonly Name[]; where?: Expression } = {};
  readItems(parser, ')', () => {
    const key = readSimpleName(parser, ruleParts);
    const repeated = new Map(Object.entries(rule)).has(key.text);
    if (repeated) report(parser, 'annotation-repeated', key.span, `\`${key.text}\` stands here twice`);
    if (!['roles', 'owners', 'allow', 'where'].includes(key.text)) {
      parser.index -= 1;
      fail(parser, ruleParts);
    }
    expect(parser, ':');
    if (key.text === 'where') rule.where = parser.readExpression(parser);
    else if (key.text === 'owners') rule.owners = readTruth(parser);
    else if (key.text === 'roles') rule.roles = readRights(parser, 'the name of a role');
    else rule.allow = readRights(parser, 'an operation');
  });
  const span = spanFrom(parser, start);
  const { allow } = rule;
  if (allow === undefined) report(parser, 'annotation-argument', span, 'the rule allows nothing', 'add `allow: [read]`');
  return { ...rule, allow: allow ?? [], span };
}

const ruleParts = '`roles`, `owners`, `allow` or `where`';

function readTruth(parser: Parser): boolean {
  if (!at(parser, 'true') && !at(parser, 'false')) fail(parser, '`true` or `false`');
  return next(parser).text === 'true';
}

/** `[user, *, "chief editor"]`. */
function readRights(parser: Parser, expected: string): readonly Name[] {
  expect(parser, '[');
  return readItems(parser, ']', () => {
    const token = peek(parser);
    if (token.kind !== 'text' && !at(parser, '*')) return readName(parser, expected);
    next(parser);
    return { text: token.kind === 'text' ? String(token.value) : '*', span: tokenSpan(parser, token) };
  });
}

function isTrigger(parser: Parser, name: Name, place: AnnotationPlace): boolean {
  if (!at(parser, '{')) return false;
  if (name.text === 'before' || name.text === 'after') return true;
  return place === 'body' && !peek(parser).newline && peek(parser, 1).kind === 'name' && peek(parser, 2).kind === 'name';
}

/** `{create Ev, update Ev2 @async}`. */
function readTrigger(parser: Parser): readonly TriggerAction[] {
  expect(parser, '{');
  return readItems(parser, '}', () => {
    const operation = readSimpleName(parser, '`create`, `update` or `delete`');
    const event = readName(parser, 'the name of an event');
    const isAsync = at(parser, '@') && at(parser, 'async', 1);
    if (isAsync) parser.index += 2;
    return { operation, event, async: isAsync };
  });
}

/** `@assign(To -> From)`. */
function readAssign(parser: Parser, name: Name, start: number): Annotation {
  expect(parser, '(');
  const to = readName(parser, 'a role of the relationship');
  expect(parser, '->');
  const from = readName(parser, 'a role of the relationship');
  expect(parser, ')');
  return { kind: 'assign', name, to, from, span: spanFrom(parser, start) };
}

/** `@actions name Event, other Event2`: goes on as long as pairs follow. */
function readActions(parser: Parser, name: Name, start: number): Annotation {
  const pairs: (readonly [Name, Name])[] = [];
  do pairs.push([readSimpleName(parser, 'a name'), readName(parser, 'the name of an event')]);
  while (at(parser, ',') && peek(parser, 1).kind === 'name' && accept(parser, ','));
  return { kind: 'actions', name, pairs, span: spanFrom(parser, start) };
}
