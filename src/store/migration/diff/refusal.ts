// The words in which a migration is refused: what does not fit, with its rows, and the ways out.

import { StartRefused } from '../../store.ts';

export interface Unfit {
  /** A sentence without its full stop. */
  readonly what: string;
  readonly ways: readonly string[];
}

const title = 'The stored data does not fit the model, and nothing was changed:';

/** Whether `platform migrate` is the way to go on. */
export function isMigrationRefusal(thrown: unknown): boolean {
  return thrown instanceof StartRefused && thrown.message.startsWith(title);
}

export function refused(unfit: readonly Unfit[]): StartRefused {
  const lines = unfit.flatMap(({ what, ways }) => [`  - ${what}`, ...ways.map((way) => `      ${way}`)]);
  const back = unfit.length === 1 ? 'Take this change back, or see' : 'Take these changes back, or see';
  return new StartRefused([title, ...lines, `${back} what platform migrate plan says.`].join('\n'));
}

/** The identifiers of the first rows, out of so many. */
export function listed(count: number, first: readonly string[]): string {
  return count > first.length ? `${first.join(', ')}, …` : first.join(', ');
}

export function counted(count: number): string {
  return count === 1 ? '1 instance' : `${count} instances`;
}

/** How a model says what something was called before, in either syntax. */
export function wasMark(name: string): string {
  return `@was("${name}") (:was :${name})`;
}
