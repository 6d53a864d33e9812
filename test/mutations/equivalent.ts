// Mutations that nobody can notice, with the reason: they are not tried, and do not count.

import type { Mutation, Operator } from './operators.ts';

interface Equivalent {
  readonly file: string;
  readonly operator: Operator;
  /** The line of the source in which it is, without the space around it. */
  readonly line: string;
  readonly why: string;
}

export const equivalents: readonly Equivalent[] = [];

export function isEquivalent(mutation: Mutation, text: string): boolean {
  return equivalents.some((each) => isOf(each, mutation, text));
}

/** For the test of the list: what does not stand in the source any more. */
export function lost(mutations: readonly Mutation[], texts: ReadonlyMap<string, string>): readonly string[] {
  const isLost = (each: Equivalent) => !mutations.some((mutation) => isOf(each, mutation, texts.get(mutation.file) ?? ''));
  return equivalents.filter(isLost).map(({ file, operator, line }) => `${file}, ${operator}: ${line}`);
}

function isOf({ file, operator, line }: Equivalent, mutation: Mutation, text: string): boolean {
  return mutation.file === file && mutation.operator === operator && text.split('\n')[mutation.line - 1]?.trim() === line;
}
