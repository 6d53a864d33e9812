// A migration as a script: the statements that it would run, and what it would do with rows, told in comments.

import { forgetChangesLater } from '../changes/changes.ts';
import type { Ddl, SchemaSession } from '../sql/ddl.ts';
import type { Executor } from '../sql/executor.ts';
import { quote, quoteText } from '../sql/names.ts';
import type { Schema } from './diff/schema.ts';
import { state } from './state.ts';

/** The same work, run by nobody: what reads rows finds none, and says in a comment what it would do with them. */
export async function recorded(
  { ddl, clock }: SchemaSession,
  work: (session: SchemaSession, note: (text: string) => void) => Promise<unknown>,
): Promise<readonly string[]> {
  const statements: string[] = [];
  const executor: Executor = {
    run(sql, parameters = []) {
      statements.push(ended(withValues(sql, parameters, ddl.dialect.parameter)));
      return 0;
    },
    rows: () => [],
  };
  await work({ executor, ddl, clock }, (text) => statements.push(`-- ${text}; only platform migrate apply does this`));
  return statements;
}

/** One that cannot be whole takes itself back. */
export function scriptOf(statements: readonly string[], { begin, commit, rollback }: Ddl): readonly string[] {
  const isWhole = statements.every((each) => !each.startsWith('--'));
  const warning = isWhole ? [] : ['-- Not to be run by hand: what the comments tell has no statement. It is taken back at the end.'];
  return [...warning, ...begin.map(ended), ...statements, ...(isWhole ? commit : rollback).map(ended)];
}

/** What a script does before everything else. */
export async function beforehand(known: string | undefined, { tables }: Schema, session: SchemaSession): Promise<readonly string[]> {
  if (known === undefined) return [];
  const names = tables.map(({ name }) => name);
  return [...stillSo(known), ...(await forgetChangesLater(names, state.name, session)).map(ended)];
}

/** Fails, by the key of the row, where somebody has migrated since the script was made. */
function stillSo(digest: string): readonly string[] {
  const isSo = `SELECT 1 FROM ${quote(state.name)} WHERE "key" = 'digest' AND "value" = ${quoteText(digest)}`;
  return [`INSERT INTO ${quote(state.name)} ("key", "value") SELECT 'digest', '' WHERE NOT EXISTS (${isSo});`];
}

function ended(statement: string): string {
  return `${statement};`;
}

function withValues(sql: string, parameters: readonly unknown[], mark: (position: number) => string): string {
  return sql.replace(/[?$](\d+)/g, (found, position: string) => {
    const value = parameters[Number(position) - 1];
    if (found !== mark(Number(position)) || value === undefined) return found;
    return typeof value === 'string' ? quoteText(value) : String(value ?? 'NULL');
  });
}
