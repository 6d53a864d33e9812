// A request of the matrix and what must be seen in its answers: their status, exactly the rows that the oracle shows, and no other text of a row anywhere.

import type { Request } from '../../../scenarios/guarded-world.ts';
import type { Answer } from '../../../support/app.ts';
import { type Decision, visible } from '../oracle.ts';
import { type Caller, canaries } from './rows.ts';
import type { MatrixWorld } from './world.ts';

export interface Cell {
  readonly path: string;
  readonly request: Request;
  /** Further pages are asked for, as far as answers lead. */
  readonly pages?: boolean;
  readonly status: number | readonly number[];
  /** Texts of the rows that are seen; in their order with `ordered`. */
  readonly shows: readonly string[];
  readonly ordered?: boolean;
  readonly count?: number;
  /** How many instances are decided about. */
  readonly decides: number;
}

export interface Around {
  readonly caller: Caller;
  readonly world: MatrixWorld;
}

export const statusOf: Readonly<Record<Decision, number>> = { allowed: 200, unauthenticated: 401, forbidden: 403, 'not found': 404 };

/** A list of a type and what is seen in it: nothing, with 401, by somebody who is not signed in. */
export function shown({ caller, world: { facts } }: Around, type: string): Pick<Cell, 'status' | 'shows' | 'decides'> {
  const rows = facts.rows.filter((each) => each.type === type);
  if (caller.email === undefined) return { status: 401, shows: [], decides: rows.length };
  return { status: 200, shows: visible(caller, rows, facts).map(({ text }) => text), decides: rows.length };
}

/** What is wrong with the answers, in words; undefined where all is well. */
export async function faultOf(cell: Cell, { caller, world }: Around): Promise<string | undefined> {
  const answers: Answer[] = [];
  let next: Request | undefined = cell.request;
  while (next !== undefined && answers.length < 100) {
    const answer: Answer = await world.ask(caller, next);
    answers.push(answer);
    const target = cell.pages === true ? /<([^>]*)>/.exec(answer.headers['link'] ?? '')?.[1] : undefined;
    next = target === undefined ? undefined : { ...cell.request, target };
  }
  const wrong = (what: string): string => {
    const { method, target, body } = cell.request;
    const last = answers.at(-1);
    return `${cell.path}, ${world.surface.name}, ${caller.name}: ${what}\n    ${method} ${target} ${JSON.stringify(body) ?? ''}\n    ${last?.status} ${last?.text.slice(0, 300)}`;
  };
  const failed = answers.find(({ status }) => ![cell.status].flat().includes(status));
  if (failed !== undefined) return wrong(`${failed.status} in place of ${String(cell.status)}`);
  const asked = new Set(textsIn(`${cell.request.target}${JSON.stringify(cell.request.body) ?? ''}`));
  const headers = textsIn(JSON.stringify(answers.map((each) => each.headers))).filter((each) => !asked.has(each));
  if (headers.length > 0) return wrong(`a header has ${headers.join()}`);
  // An error may say once more what was asked, and nothing else.
  const texts = answers.flatMap(({ status, text }) => textsIn(text).filter((each) => status < 300 || !asked.has(each)));
  const difference = differenceOf(cell, texts);
  if (difference !== undefined) return wrong(difference);
  const count = answers[0]?.headers['x-total-count'];
  return cell.count === undefined || count === String(cell.count) ? undefined : wrong(`counts ${count} in place of ${cell.count}`);
}

function differenceOf({ shows, ordered }: Cell, texts: readonly string[]): string | undefined {
  const [expected, seen] = [new Set(shows), new Set(texts)];
  const [hidden, absent] = [[...seen].filter((each) => !expected.has(each)), [...expected].filter((each) => !seen.has(each))];
  if (hidden.length > 0) return `shows ${hidden.length} hidden rows: ${hidden.slice(0, 3).join()}`;
  if (absent.length > 0) return `lacks ${absent.length} of ${expected.size} rows: ${absent.slice(0, 3).join()}`;
  return ordered === true && texts.join() !== shows.join() ? 'is in another order' : undefined;
}

function textsIn(text: string): readonly string[] {
  return text.match(canaries) ?? [];
}
