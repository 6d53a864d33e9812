// In charge of the text of whole units, in the canonical layout of the current surface.

import { unreachable } from '../../../errors.ts';
import type { Comment, Declaration, ImportDeclaration, Unit, WorkflowDeclaration } from '../../../model/declaration.ts';
import type { Expression, Statement } from '../../../model/pattern.ts';
import { literalText } from '../lex/literal.ts';
import { declarationWords } from '../parse/outline.ts';
import { agentDoc, decisionDoc, fieldsDoc, flowDoc, resolverDoc, ruleDoc } from './agent.ts';
import { type Doc, type Item, row } from './doc.ts';
import { layOut } from './layout.ts';
import { blockDoc, goesOn, statementDoc, statementItems } from './statement.ts';
import { annotationDocs, hasBody, isLeading, leadingDoc, namedAttributeDoc, relationshipDoc, typeDoc } from './type.ts';

/** Reading it again gives the same unit. */
export function printUnit(unit: Unit): string {
  const items: Item[] = [];
  if (unit.module !== undefined) items.push({ doc: row('module ', unit.module.text), span: unit.module.span });
  const parts = [...unit.imports, ...unit.declarations].sort((a, b) => a.span.start - b.span.start);
  for (const [index, part] of parts.entries()) {
    const before = parts[index - 1];
    const after = parts[index + 1];
    const apart = before === undefined || !(isLine(before) && isLine(part) && kindOf(before) === kindOf(part));
    const separator = after !== undefined && isStartup(part) && isStartup(after) && goesOn(partDoc(after)) ? ';' : '';
    items.push({ doc: partDoc(part), span: part.span, apart, separator });
  }
  return layOut(items, unit.source.text, unit.comments);
}

/** The text of a script, such as `config.al`. */
export function printScript(statements: readonly Statement[], text: string, comments: readonly Comment[]): string {
  return layOut(statementItems(statements), text, comments);
}

type Part = ImportDeclaration | Declaration;

function partDoc(part: Part): Doc {
  return 'kind' in part
    ? declarationDoc(part)
    : row('import ', literalText(part.path), ' @as ', part.alias.text, ...(part.external ? [' @external'] : []));
}

function isStartup(part: Part): boolean {
  return kindOf(part) === 'startup';
}

function kindOf(part: Part): string {
  return 'kind' in part ? part.kind : 'import';
}

/** Declarations of one line may stand together, as their author grouped them. */
function isLine(part: Part): boolean {
  return !('kind' in part) || part.kind === 'startup' || part.kind === 'attribute' || (part.kind === 'relationship' && !hasBody(part));
}

function declarationDoc(declaration: Declaration): Doc {
  switch (declaration.kind) {
    case 'entity':
    case 'record':
    case 'event':
      return typeDoc(declaration);
    case 'relationship':
      return relationshipDoc(declaration);
    case 'workflow':
      return workflowDoc(declaration);
    case 'flow':
      return flowDoc(declaration);
    case 'agent':
      return agentDoc(declaration);
    case 'decision':
      return decisionDoc(declaration);
    case 'directive':
    case 'scenario':
      return ruleDoc(declaration);
    case 'glossaryEntry':
    case 'retry':
    case 'eval':
      return fieldsDoc(declaration);
    case 'resolver':
      return resolverDoc(declaration);
    case 'startup':
      return statementDoc(withoutDeclarationWord(declaration.statement));
    case 'attribute':
      return namedAttributeDoc(declaration);
    case 'rule':
    case 'code':
    case 'foreign':
      // Only the earlier surface has these; the conversion says so, and does not ask for them here.
      return withoutCounterpart(declaration.kind);
    default:
      return unreachable(declaration);
  }
}

function withoutCounterpart(kind: string): Doc {
  return `// a ${kind} has no form here`;
}

/** A name at the very start that is also the word of a declaration stands in parentheses. */
function withoutDeclarationWord(statement: Statement): Statement {
  const { pattern } = statement;
  return pattern.kind === 'expression' ? { ...statement, pattern: { ...pattern, expression: guarded(pattern.expression) } } : statement;
}

function guarded(expression: Expression): Expression {
  if (expression.kind === 'binary') return { ...expression, left: guarded(expression.left) };
  const isWord = expression.kind === 'reference' && declarationWords.includes(expression.path.join('.'));
  return isWord ? { ...expression, path: [`(${expression.path.join('.')})`] } : expression;
}

function workflowDoc(workflow: WorkflowDeclaration): Doc {
  const { name, trigger, isPublic, annotations, body } = workflow;
  const own = annotations.filter((each) => !isLeading(each));
  const start = (own.at(-1) ?? trigger ?? name)?.span.end;
  return row(
    leadingDoc(isPublic, annotations),
    'workflow',
    name === undefined ? '' : ` ${name.text}`,
    trigger === undefined ? '' : ` @${trigger.when} ${trigger.operation.text}:${trigger.entity.text}`,
    ...annotationDocs(own),
    ' ',
    blockDoc(body, start),
  );
}
