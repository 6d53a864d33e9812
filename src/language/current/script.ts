// In charge of scripts, such as `config.al`: statements one after the other, without a module.

import type { Diagnostic } from '../../diagnostics.ts';
import type { Comment } from '../../model/declaration.ts';
import type { Statement } from '../../model/pattern.ts';
import type { Source } from '../../source.ts';
import { lex } from './lex/lex.ts';
import { readExpression } from './parse/expression.ts';
import { createParser, inOrder, peek, recovering, resumeAtTop } from './parse/parser.ts';
import { endStatement, readStatement } from './parse/statement.ts';

export interface Script {
  readonly statements: readonly Statement[];
  readonly comments: readonly Comment[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Never throws: what cannot be read becomes a diagnostic. */
export function readScript(source: Source): Script {
  const lexed = lex(source);
  const parser = createParser(source, lexed, readExpression);
  const statements: Statement[] = [];
  const read = () => {
    statements.push(readStatement(parser));
    endStatement(parser);
  };
  while (peek(parser).kind !== 'end') recovering(parser, read, resumeAtTop);
  return { statements, comments: lexed.comments, diagnostics: inOrder(parser.diagnostics) };
}
