// In charge of reading whole files: the module line, imports, declarations one after the other.

import { nearest } from '../../../diagnostics.ts';
import type { Annotation, Declaration, ImportDeclaration, TypeDeclaration, Unit, WorkflowDeclaration } from '../../../model/declaration.ts';
import type { Name } from '../../../model/pattern.ts';
import type { Source } from '../../../source.ts';
import type { ReadResult } from '../../front-end.ts';
import { lex } from '../lex/lex.ts';
import { readAgent, readDecision, readFields, readFlow, readResolver, readRule } from './agent.ts';
import { readAnnotation, readAnnotations } from './annotation.ts';
import { readExpression, readLiteral } from './expression.ts';
import { declarationWords } from './outline.ts';
import {
  abandon,
  accept,
  at,
  createParser,
  expect,
  fail,
  inOrder,
  type Parser,
  peek,
  readName,
  readSimpleName,
  recovering,
  report,
  resumeAtTop,
  spanFrom,
  tokenSpan,
  touches,
} from './parser.ts';
import { endStatement, readBlock, readStatement } from './statement.ts';
import { readNamedAttribute, readRelationship, readType } from './type.ts';

export function readUnit(source: Source): ReadResult {
  const lexed = lex(source);
  const parser = createParser(source, lexed, readExpression);
  const file: File = { imports: [], declarations: [] };
  if (!at(parser, 'module') || followedBySign(parser)) {
    report(
      parser,
      'module-missing',
      tokenSpan(parser, peek(parser)),
      'the file does not say which module it belongs to',
      'begin it with `module <name>`',
    );
  }
  while (peek(parser).kind !== 'end') recovering(parser, () => readTopLevel(parser, file), resumeAtTop);
  const { module, imports, declarations } = file;
  const unit: Unit = { source, imports, declarations, comments: lexed.comments };
  return { unit: module === undefined ? unit : { ...unit, module }, diagnostics: inOrder(parser.diagnostics) };
}

interface File {
  module?: Name;
  readonly imports: ImportDeclaration[];
  readonly declarations: Declaration[];
}

function readTopLevel(parser: Parser, file: File): void {
  if (at(parser, 'module') && !followedBySign(parser)) readModule(parser, file);
  else if (at(parser, 'import') && !followedBySign(parser)) file.imports.push(readImport(parser));
  else file.declarations.push(readDeclaration(parser));
}

function followedBySign(parser: Parser): boolean {
  return peek(parser, 1).kind === 'symbol' && !peek(parser, 1).newline;
}

function readModule(parser: Parser, file: File): void {
  const word = parser.index;
  parser.index += 1;
  const name = readName(parser, 'the name of the module');
  const span = spanFrom(parser, parser.tokens[word]?.start ?? 0);
  if (file.module !== undefined) report(parser, 'module-repeated', span, `the file already belongs to module \`${file.module.text}\``);
  else file.module = name;
  accept(parser, ';');
}

/** `import "rates.js" @as rates`. */
function readImport(parser: Parser): ImportDeclaration {
  const { start } = expect(parser, 'import');
  if (peek(parser).kind !== 'text') fail(parser, 'the path of a file in quotes');
  const path = readLiteral(parser);
  expect(parser, '@');
  expect(parser, 'as');
  const alias = readSimpleName(parser, 'a name for the import');
  // Another annotation is of the declaration behind it.
  const external = at(parser, '@') && at(parser, 'external', 1);
  if (external) parser.index += 2;
  const span = spanFrom(parser, start);
  accept(parser, ';');
  return { path, alias, external, span };
}

/** What stands before a declaration, with the declarations that it can stand before. */
const leading: ReadonlyMap<string, { readonly before: readonly string[]; readonly words: string }> = new Map([
  ['public', { before: ['event', 'workflow', 'agent'], words: 'stands before an event, a workflow or an agent' }],
  ['schedule', { before: ['event', 'workflow'], words: 'stands before an event or a workflow' }],
  ['runAs', { before: ['workflow'], words: 'stands before a workflow, or in the body of an event' }],
  ['internal', { before: ['workflow', 'agent'], words: 'stands before a workflow or an agent, or in the body of an event' }],
]);

function readDeclaration(parser: Parser): Declaration {
  const { start } = peek(parser);
  const annotations: Annotation[] = [];
  while (at(parser, '@')) annotations.push(readAnnotation(parser, 'header'));
  const good = annotations.filter((annotation) => {
    const { before = [], words = 'does not stand before a declaration' } = leading.get(annotation.name.text) ?? {};
    const isAllowed = before.includes(peek(parser).text);
    if (!isAllowed) report(parser, 'annotation-misplaced', annotation.span, `\`@${annotation.name.text}\` ${words}`);
    return isAllowed;
  });
  const isPublic = good.some((each) => each.name.text === 'public');
  const declaration = readKind(parser, isPublic, start);
  const own = good.filter((each) => each.name.text !== 'public');
  return own.length > 0 && (declaration.kind === 'event' || declaration.kind === 'workflow' || declaration.kind === 'agent')
    ? { ...declaration, annotations: [...own, ...declaration.annotations] }
    : declaration;
}

function readKind(parser: Parser, isPublic: boolean, start: number): Declaration {
  if (at(parser, '/', 1) && at(parser, 'retry', 2) && touches(parser, 1)) parser.index += 2;
  const word = peek(parser).text;
  if (!opensDeclaration(parser)) return readStartup(parser);
  if (isTypeWord(word)) return readType(parser, word, isPublic, start);
  switch (word) {
    case 'relationship':
      return readRelationship(parser, start);
    case 'attribute':
      return readNamedAttribute(parser, start);
    case 'workflow':
      return readWorkflow(parser, isPublic, start);
    case 'agent':
      return readAgent(parser, isPublic, start);
    case 'flow':
      return readFlow(parser, start);
    case 'decision':
      return readDecision(parser, start);
    case 'directive':
    case 'scenario':
      return readRule(parser, word, start);
    case 'glossaryEntry':
    case 'retry':
    case 'eval':
      return readFields(parser, word, start);
    case 'resolver':
      return readResolver(parser, start);
    default:
      return fail(parser, 'a declaration');
  }
}

function isTypeWord(word: string): word is TypeDeclaration['kind'] {
  return word === 'entity' || word === 'record' || word === 'event';
}

/** A declaration's word with what can follow it; a name that two words follow is a word misspelt. */
function opensDeclaration(parser: Parser): boolean {
  const token = peek(parser);
  const follows = peek(parser, 1);
  if (token.kind !== 'name') return false;
  const named = follows.kind === 'name' && !follows.newline;
  if (declarationWords.includes(token.text))
    return named || at(parser, '{', 1) || (token.text === 'workflow' && at(parser, '@', 1)) || follows.newline || follows.kind === 'end';
  if (!named || isStatementWord(parser)) return false;
  const near = nearest(token.text, declarationWords);
  report(
    parser,
    'declaration-unknown',
    tokenSpan(parser, token),
    `there is no declaration \`${token.text}\``,
    near && `did you mean \`${near}\`?`,
  );
  return abandon();
}

const statementWords = new Set(['for', 'return', 'throw', 'await', 'not']);
const operatorWords = new Set(['and', 'or', 'in', 'like', 'between']);

function isStatementWord(parser: Parser): boolean {
  return statementWords.has(peek(parser).text) || operatorWords.has(peek(parser, 1).text);
}

function readStartup(parser: Parser): Declaration {
  if (peek(parser).kind === 'symbol' && !['{', '[', '(', '-'].includes(peek(parser).text)) fail(parser, 'a declaration');
  const statement = readStatement(parser);
  endStatement(parser);
  return { kind: 'startup', statement, span: statement.span };
}

function readWorkflow(parser: Parser, isPublic: boolean, start: number): WorkflowDeclaration {
  parser.index += 1;
  const name = at(parser, '@') ? undefined : readName(parser, 'the name of the event');
  const trigger = readTrigger(parser);
  const annotations = readAnnotations(parser, 'header');
  if (name === undefined && trigger === undefined) fail(parser, 'the name of the event, or `@after create:Entity`');
  const body = readBlock(parser);
  const workflow = { kind: 'workflow', isPublic, annotations, body, span: spanFrom(parser, start) } as const;
  return { ...workflow, ...(name === undefined ? {} : { name }), ...(trigger === undefined ? {} : { trigger }) };
}

/** `@after create:Post`. */
function readTrigger(parser: Parser): WorkflowDeclaration['trigger'] {
  const isTrigger = at(parser, '@') && (at(parser, 'before', 1) || at(parser, 'after', 1));
  if (!isTrigger) return undefined;
  const { start } = expect(parser, '@');
  const when = readSimpleName(parser, '`before` or `after`').text === 'before' ? 'before' : 'after';
  const operation = readSimpleName(parser, '`create`, `update` or `delete`');
  expect(parser, ':');
  const entity = readName(parser, 'the name of an entity');
  return { when, operation, entity, span: spanFrom(parser, start) };
}
