// In charge of the text of statements.

import { unreachable } from '../../../errors.ts';
import type { Alias, Expression, Handler, Pattern, Statement } from '../../../model/pattern.ts';
import { type Doc, group, type Item, leadingText, row } from './doc.ts';
import { expressionDoc, instanceDoc, mapDoc, nameText } from './expression.ts';

export function statementDoc(statement: Statement): Doc {
  const { pattern, as, catches, throws, then, empty } = statement;
  return row(
    patternDoc(pattern),
    as === undefined ? '' : ` @as ${aliasText(as)}`,
    catches === undefined ? '' : row(' @catch ', handlersDoc(catches)),
    throws === undefined ? '' : row(' @throws ', handlersDoc(throws)),
    then === undefined ? '' : row(' @then ', blockDoc(then)),
    // Last, because whatever follows a `return` belongs to what is returned.
    empty === undefined ? '' : row(' @empty ', hasSuffix(empty) ? row('if (true) ', blockDoc([empty])) : statementDoc(empty)),
  );
}

/** Statements one below the other; a semicolon only where the next one could be read as going on with the last. */
export function statementItems(statements: readonly Statement[]): readonly Item[] {
  const docs = statements.map(statementDoc);
  return statements.map((statement, index) => {
    const following = docs[index + 1];
    return { doc: docs[index] ?? '', span: statement.span, separator: following !== undefined && goesOn(following) ? ';' : '' };
  });
}

export function goesOn(doc: Doc): boolean {
  return /^(?:[-+*/=<>]|(?:and|or|in|like|between)\b)/.test(leadingText(doc));
}

/** In braces, always on several lines. */
export function blockDoc(statements: readonly Statement[], start?: number): Doc {
  return group('{}', statementItems(statements), { separator: '', broken: true, ...(start === undefined ? {} : { start }) });
}

function aliasText(alias: Alias): string {
  if (alias.kind === 'whole') return alias.name.text;
  const names = alias.names.map((name) => name?.text ?? '_');
  const rest = alias.rest === undefined ? [] : ['__', alias.rest.text];
  return `[${[...names, ...rest].join(', ')}]`;
}

function handlersDoc(handlers: readonly Handler[]): Doc {
  const items = handlers.map(({ on, handler }) => ({ doc: row(`${on} `, statementDoc(handler)), span: handler.span }));
  return group('{}', items, { separator: '' });
}

function patternDoc(pattern: Pattern): Doc {
  switch (pattern.kind) {
    case 'instance':
      return instanceDoc(pattern);
    case 'expression':
      return expressionDoc(pattern.expression);
    case 'full-text':
      return fullTextDoc(pattern);
    case 'delete':
      return row(pattern.purge ? 'purge ' : 'delete ', instanceDoc(pattern.target));
    case 'for':
      return row(
        'for ',
        nameText(pattern.variable.text),
        ' in ',
        statementDoc(pattern.source),
        ' ',
        blockDoc(pattern.body, pattern.source.span.end),
      );
    case 'if':
      return ifDoc(pattern);
    case 'return':
      return row('return ', statementDoc(pattern.value));
    case 'throw':
      return row('throw(', expressionDoc(pattern.reason), ')');
    case 'match':
      return matchDoc(pattern);
    case 'block':
      return row('if (true) ', blockDoc(pattern.statements, pattern.span.start));
    case 'eval':
      return expressionDoc(pattern.value);
    case 'await':
      return statementDoc(pattern.body);
    case 'path':
      return row(...pattern.steps.slice(-1).map(instanceDoc));
    case 'query':
      return expressionDoc(pattern.query);
    case 'rethrow':
      return statementDoc(pattern.after);
    default:
      return unreachable(pattern);
  }
}

/** A choice by value is a chain of comparisons here. */
function matchDoc({ subject, cases, otherwise, span }: Extract<Pattern, { kind: 'match' }>): Doc {
  const chain = cases.reduceRight<readonly Statement[] | undefined>((rest, { value, body, span: at }) => {
    const condition: Expression = { kind: 'binary', operator: '==', left: subject, right: value, span: at };
    // biome-ignore lint/suspicious/noThenProperty: it is the word of the language, and no statement is ever awaited.
    const pattern: Pattern = { kind: 'if', condition, then: body, span: at, ...(rest === undefined ? {} : { otherwise: rest }) };
    return [{ pattern, span: at }];
  }, otherwise);
  const [only] = chain ?? [];
  return only === undefined ? row('if (true) ', blockDoc(otherwise ?? [], span.start)) : statementDoc(only);
}

function fullTextDoc(pattern: Extract<Pattern, { kind: 'full-text' }>): Doc {
  const { type, text, options } = pattern;
  const found = expressionDoc(text);
  const words = leadingText(found).startsWith('{') ? row('(', found, ')') : found;
  return row('{', type.text, '? ', words, options === undefined ? '' : row(' ', mapDoc(options)), '}');
}

function ifDoc(pattern: Extract<Pattern, { kind: 'if' }>): Doc {
  const { condition, then, otherwise } = pattern;
  const head = row('if (', expressionDoc(condition), ') ', blockDoc(then, condition.span.end));
  if (otherwise === undefined) return head;
  const only = otherwise.length === 1 ? otherwise[0] : undefined;
  const chained = only?.pattern.kind === 'if' && !hasSuffix(only) ? only.pattern : undefined;
  return row(head, ' else ', chained === undefined ? blockDoc(otherwise) : ifDoc(chained));
}

function hasSuffix(statement: Statement): boolean {
  const { as, catches, throws, then, empty } = statement;
  return [as, catches, throws, then, empty].some((each) => each !== undefined);
}
