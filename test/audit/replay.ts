// What entries say, taken at their word: the rows that there must be after them. Each entry must continue where the one before it ended.

export interface Entry {
  readonly id: string;
  readonly operation: string;
  readonly type: string;
  readonly instance: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly requestId: string | null;
  readonly user: string | null;
  readonly outcome: string;
}

/** `type instance` → its text as JSON. Entries come in the order of their identifiers. */
export function replayed(entries: readonly Entry[]): ReadonlyMap<string, string> {
  const waiting = new Map<string, Entry[]>();
  for (const entry of entries) {
    if (entry.outcome !== 'done') continue;
    const key = `${entry.type} ${entry.instance}`;
    waiting.set(key, [...(waiting.get(key) ?? []), entry]);
  }
  const rows = new Map<string, string>();
  for (const [key, own] of waiting) {
    const last = lastOf(key, own);
    if (last !== 'null') rows.set(key, last);
  }
  return rows;
}

/**
 * The processes of a service have clocks of their own, and identifiers are made before the commit: entries of one instance that came
 * about within one moment follow each other by what they say, not by their identifiers.
 */
function lastOf(key: string, entries: readonly Entry[]): string {
  let state = 'null';
  const left = [...entries];
  while (left.length > 0) {
    const fits = left.filter((each) => JSON.stringify(each.before) === state);
    // What was written as it was leaves everything open.
    const next = fits.find((each) => JSON.stringify(each.after) === state) ?? fits[0];
    if (next === undefined) throw new Error(`of ${key}, which is ${state}, these entries continue nothing: ${JSON.stringify(left)}`);
    if (next.operation !== kindOf(next)) throw new Error(`${JSON.stringify(next)} is no ${next.operation}`);
    left.splice(left.indexOf(next), 1);
    state = JSON.stringify(next.after);
  }
  return state;
}

function kindOf({ before, after }: Entry): string {
  return before === null ? 'create' : after === null ? 'delete' : 'update';
}
