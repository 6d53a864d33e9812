// One cell of the table of guards: what is asked on one path, and what must hold of the answers whatever the guard is.

import type { Answer } from '../support/app.ts';
import { type CallerName, containedBy, type EntityName, type Entry, placeOf, type Sight } from './guarded-rows.ts';
import { type Ask, type Request, type Surface, seenOf, type World } from './guarded-world.ts';

export interface Cell {
  /** The path, as the list of cells has it. */
  readonly path: string;
  readonly surface: Surface['name'];
  readonly entity: string;
  readonly run: (ask: Ask) => Promise<readonly Answer[]>;
  /** The same for what does not exist: the answers must be the same but for the identifier. */
  readonly missing?: { readonly run: Cell['run']; readonly id: string; readonly instead: string };
  readonly status?: readonly number[];
  /** Texts that the last answer must have. */
  readonly shows?: readonly string[];
  readonly count?: number;
  /** It is not asked of the store without the hidden rows, because this one hint is admitted. */
  readonly admitted?: boolean;
}

export interface Around {
  readonly sight: Sight;
  readonly caller: CallerName;
  readonly surface: Surface;
}

export const missingId = 9999;

export const get = (target: string, headers: Request['headers'] = {}): Request => ({ method: 'GET', target, headers });

/** One request after the other, whatever they are answered. */
export const asks =
  (...requests: readonly Request[]): Cell['run'] =>
  async (ask) => {
    const answers: Answer[] = [];
    for (const request of requests) answers.push(await ask(request));
    return answers;
  };

/** Asked for an instance, and for one that does not exist in its place. */
export function likeMissing(id: number | string, make: (id: number | string) => Cell['run']): Pick<Cell, 'run' | 'missing'> {
  const instead = typeof id === 'number' ? missingId : id.replace(/.{4}$/, '9999');
  return { run: make(id), missing: { run: make(instead), id: String(id), instead: String(instead) } };
}

/** What of its place the caller does not see, from the outside. */
export function hiddenIn(entry: Entry, sight: Sight): Entry | undefined {
  return (entry.parent && hiddenIn(entry.parent, sight)) ?? (sight.hidden.entries.includes(entry) ? entry : undefined);
}

/** The place of an instance with another identifier for one of those in it. */
export function placeWith(entry: Entry, replaced: Entry, id: number | string): string {
  const own = entry === replaced ? id : entry.id;
  const by = containedBy[entry.type];
  if (entry.parent === undefined || by === undefined) return `${entry.type}/${own}`;
  return `${placeWith(entry.parent, replaced, id)}/${by.relationship}/${entry.type}/${own}`;
}

/** Few instances of a type that differ in whether they, and what they stand in, are seen; none that share their identifiers. */
export function samples(type: EntityName, { sight }: Around): { readonly seen: readonly Entry[]; readonly hidden: readonly Entry[] } {
  const pick = (entries: readonly Entry[]): readonly Entry[] => {
    const own = entries.filter((each) => each.type === type && each.id % 1000 !== 777);
    const inside = own.find(({ parent }) => parent === undefined || sight.visible.entries.includes(parent));
    const outside = own.find(({ parent }) => parent !== undefined && sight.hidden.entries.includes(parent));
    return [...new Set([inside, outside])].flatMap((each) => each ?? []);
  };
  return { seen: pick(sight.visible.entries), hidden: pick(sight.hidden.entries) };
}

/** The flat place of an instance, and the one under its parents. */
export function placesOf(entry: Entry): readonly string[] {
  return [...new Set([`${entry.type}/${entry.id}`, placeOf(entry)])];
}

export interface Tried {
  readonly whole: World;
  /** The same without the hidden rows, where any are. */
  readonly rest: World | undefined;
  readonly sight: Sight;
  readonly caller: CallerName;
}

/** What is wrong with the answers of a cell, in words; undefined where all is well. */
export async function faultOf(cell: Cell, { whole, rest, sight, caller }: Tried): Promise<string | undefined> {
  const sent: string[] = [];
  const asking = (world: World, isWhole = false): Ask => {
    const ask = world.as(caller);
    return async (request, as) => {
      const denials = world.denials();
      const answer = await ask(request, as);
      if ((answer.status === 403) !== (world.denials() === denials + 1))
        throw new Error(`${answer.status} is recorded ${world.denials() - denials} times as denied`);
      if (isWhole && (as ?? caller) === caller) sent.push(`${request.method} ${request.target} ${JSON.stringify(request.body) ?? ''}`);
      return answer;
    };
  };
  const answers = await cell.run(asking(whole, true)).catch((thrown: unknown) => (thrown instanceof Error ? thrown.message : 'failed'));
  if (typeof answers === 'string') return `${cell.path} (${cell.surface}, ${cell.entity}): ${answers}`;
  const told = answers.map(seenOf).join('\n');
  const wrong = (what: string, beside = ''): string =>
    `${cell.path} (${cell.surface}, ${cell.entity}): ${what}\n    ${sent.join('; ')}\n    ${short(told)}${beside === '' ? '' : `\n    ${short(beside)}`}`;
  const raw = answers.map(({ headers, text }) => JSON.stringify(headers) + text).join('');
  const canary = sight.canaries.find((each) => raw.includes(each) && !sent.some((request) => request.includes(each)));
  if (canary !== undefined) return wrong(`tells ${canary}`);
  if (answers.some(({ status }) => status >= 500)) return wrong('fails');
  const last = answers.at(-1);
  if (cell.status !== undefined && !cell.status.includes(last?.status ?? 0)) return wrong(`is not ${cell.status.join(' or ')}`);
  const absent = cell.shows?.find((each) => last?.text.includes(each) !== true);
  if (absent !== undefined) return wrong(`lacks ${absent}`);
  if (cell.count !== undefined && last?.headers['x-total-count'] !== String(cell.count)) return wrong(`does not count ${cell.count}`);
  if (cell.missing !== undefined) {
    const { run, id, instead } = cell.missing;
    const other = (await run(asking(whole))).map(seenOf).join('\n');
    if (told.replaceAll(id, instead) !== other) return wrong('is told from what does not exist', other);
  }
  if (rest === undefined || cell.admitted === true) return undefined;
  const other = (await cell.run(asking(rest))).map(seenOf).join('\n');
  return told === other ? undefined : wrong('depends on what is hidden', other);
}

function short(text: string): string {
  return text.replaceAll('\n', ' ').slice(0, 700);
}
