// The forms that create instances, in both syntaxes, each at the levels where it exists, with what it creates.

import type { Project } from '../support/app.ts';

/** The identifiers from the root down to an instance. */
export type Level = readonly (string | number)[];

export type Post = readonly [target: string, body: object];

export interface CreatingForm {
  readonly title: string;
  /** Absent where it is made at start. */
  readonly post: Post | undefined;
  /** Whether it is made after the answer. */
  readonly later: boolean;
  readonly creates: readonly Level[];
}

export interface SyntaxOfForms {
  readonly surface: 'current' | 'earlier';
  readonly module: string;
  /** Where its types are read. */
  readonly base: string;
  readonly identifier: string;
  readonly source: Project;
  /** The same as files of a project. */
  readonly files: Readonly<Record<string, string>>;
  /** What is there before the first form: one instance of each level. */
  readonly stored: readonly Level[];
  readonly forms: readonly CreatingForm[];
}

/** Types that contain each other, and by which relationship each is contained. */
export const levels = [
  { type: 'Area', relationship: '' },
  { type: 'Block', relationship: 'AreaBlock' },
  { type: 'Cell', relationship: 'BlockCell' },
  { type: 'Desk', relationship: 'CellDesk' },
] as const;

/** What is found: characters that are encoded, a negative number, a letter outside of ASCII. */
export const found: Level = ['a b', -2, 'c/ü', 7];
export const upTo = (level: number): Level => found.slice(0, level);

/** One that nothing else has, of the type of its level. */
export const fresh = (level: number, no: number): string | number => (level % 2 === 0 ? `n ${no}%` : no);
export const typeAt = (level: number): string => levels[level]?.type ?? '';
export const relationshipAt = (level: number): string => levels[level]?.relationship ?? '';
export const allLevels = [0, 1, 2, 3];

/** A body, and what it creates, at one level. */
export interface Made {
  readonly title: string;
  readonly body: string;
  readonly data?: object;
  readonly given?: string | number;
  readonly creates: readonly Level[];
  /** Declarations besides the workflow. */
  readonly also?: string;
  /** Set off by a POST of this instead of the event; made at start where it is undefined. */
  readonly post?: Post | undefined;
  readonly later?: boolean;
}

let count = 10;
export const next = (): number => {
  count += 1;
  return count;
};

/** The parents from one level to another are new, and so is what stands at the end. */
export function freshChain(level: number, no: number): Level {
  return allLevels.slice(0, level + 1).map((each) => fresh(each, no));
}

export function prefixes(chain: Level): readonly Level[] {
  return chain.map((_, index) => chain.slice(0, index + 1));
}

export const text = (id: string | number): string => JSON.stringify(id);

/** Where children of the level are posted. */
export function restPath(base: string, level: number): string {
  const steps = upTo(level).map((id, each) => {
    const own = `${typeAt(each)}/${encodeURIComponent(String(id))}`;
    return each === 0 ? own : `${relationshipAt(each)}/${own}`;
  });
  return [base, ...steps, ...(level === 0 ? [] : [relationshipAt(level)]), typeAt(level)].join('/');
}

/** A form that creates one instance under what is found. */
export function madeAt(level: number, title: string, make: (id: string | number, no: number) => Omit<Made, 'title' | 'creates'>): Made {
  const no = next();
  const id = fresh(level, no);
  return { title, creates: [[...upTo(level), id]], ...make(id, no) };
}

/** As a row of the table; `event` is what its workflow is posted as. */
export function formOf(level: number, made: Made, event: Post): CreatingForm {
  return {
    title: `${made.title}, ${level === 0 ? 'at the root' : `${level} below`}`,
    post: 'post' in made ? made.post : event,
    later: made.later ?? false,
    creates: made.creates,
  };
}
