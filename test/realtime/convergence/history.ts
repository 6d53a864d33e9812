// What was written when, and who could read it when: every state has a stamp of its own, which no other one has.

import type { Told } from '../support.ts';

type Values = Readonly<Record<string, unknown>>;

interface Span {
  readonly start: number;
  end: number;
}

interface Write extends Span {
  readonly row: string;
  readonly isDelete: boolean;
  /** Before it nobody else could read it. */
  visible: number;
  isCommitted: boolean;
}

interface Right extends Span {
  readonly user: string;
  readonly row: string;
  /** When whoever gave it knew that they had. */
  given: number;
}

/** A transaction of which each statement is known. */
export interface OpenTransaction {
  /** A row has got a stamp, or was taken away. */
  write(row: string, stamp?: string): void;
  end(isCommitted: boolean, work: () => Promise<unknown>): Promise<void>;
}

const now = (): number => performance.now();
/** Milliseconds for which somebody without a role any more may be told, with what a busy machine takes. */
const roleSlack = 3000;
/** Milliseconds in which a transaction that has ended is told, with those that have waited for its locks. */
const heldUpSlack = 3000;

export class History {
  readonly faults: string[] = [];
  readonly #writes = new Map<string, Write>();
  readonly #byRow = new Map<string, Write[]>();
  readonly #rights: Right[] = [];
  readonly #open: Span[] = [];
  #next = 0;

  /** Says what a state has besides: an event that has the stamp with anything else shows a state that never was. */
  stamp(values: Values = {}, prefix = ''): string {
    this.#next += 1;
    return [`${prefix}#${this.#next}`, ...Object.entries(values).map(([name, value]) => `${name}=${String(value)}`)].join(';');
  }

  /** Writes of rows, each with its stamp, or with none where it is taken away. `work` says whether they were committed. */
  async write(rows: readonly (readonly [row: string, stamp?: string])[], work: () => Promise<boolean>, start = now()): Promise<boolean> {
    const writes = rows.map(([row, stamp]) => this.#begin(row, stamp, start));
    const isCommitted = await work();
    for (const each of writes) Object.assign(each, { end: now(), isCommitted });
    if (isCommitted) for (const [row, stamp] of rows) if (stamp === undefined) this.#takeRights(row, start);
    return isCommitted;
  }

  /** Begins now, and may stay open for long: only the last of its states of a row is ever to be seen, and not before its end begins. */
  open(): OpenTransaction {
    const start = now();
    const known = { start, end: Number.POSITIVE_INFINITY };
    this.#open.push(known);
    const last = new Map<string, Write>();
    const deleted = new Set<string>();
    return {
      write: (row, stamp) => {
        last.set(row, this.#begin(row, stamp, start));
        if (stamp === undefined) deleted.add(row);
      },
      end: async (isCommitted, work) => {
        const visible = now();
        await work();
        known.end = now();
        for (const each of last.values()) Object.assign(each, { visible, end: now(), isCommitted });
        if (isCommitted) for (const row of deleted) this.#takeRights(row, start);
      },
    };
  }

  /** Whether one that was open at a time may still hold up streams. */
  wasHeldUp(time: number): boolean {
    return this.#open.some(({ start, end }) => start < time && end > now() - heldUpSlack);
  }

  #begin(row: string, stamp: string | undefined, start: number): Write {
    const made: Write = { row, isDelete: stamp === undefined, start, visible: start, end: Number.POSITIVE_INFINITY, isCommitted: false };
    if (stamp !== undefined) this.#writes.set(stamp, made);
    const known = this.#byRow.get(row);
    if (known === undefined) this.#byRow.set(row, [made]);
    else known.push(made);
    return made;
  }

  /** What is deleted takes owners and grants along. */
  #takeRights(row: string, start: number): void {
    for (const each of this.#rights) if (each.row === row && each.given < start) each.end = Math.min(each.end, now());
  }

  /** Somebody may read a row from now on; `given` is called when that is sure, and `taken` when it is over. */
  right(user: string, row: string): { given(isGiven: boolean): void; taken(): void } {
    const made: Right = { user, row, start: now(), end: Number.POSITIVE_INFINITY, given: Number.POSITIVE_INFINITY };
    this.#rights.push(made);
    return {
      given(isGiven) {
        made.given = now();
        if (!isGiven) made.end = made.start;
      },
      taken() {
        made.end = Math.min(made.end, now());
      },
    };
  }

  startOf(stamp: unknown): number {
    return this.#writes.get(String(stamp))?.start ?? 0;
  }

  /** At the end: every state that was told was committed, whole, and readable for whom it was told at a time when it was the state. */
  check(user: string, type: string, { data }: Told, title: string): void {
    const stamp = data['stamp'];
    if (typeof stamp !== 'string') return;
    const write = this.#writes.get(stamp);
    if (write?.isCommitted !== true) this.faults.push(`${title}: ${JSON.stringify(data)} was never committed`);
    else if (!isWhole(data, stamp)) this.faults.push(`${title}: ${JSON.stringify(data)} is a mixture`);
    else if (!this.#isReadable(user, type, data, write))
      this.faults.push(`${title}: ${JSON.stringify(data)} was never readable for ${user}`);
  }

  #isReadable(user: string, type: string, data: Values, write: Write): boolean {
    if (user === 'admin@example.com' || type === 'Team' || type === 'Reply') return true;
    const values = valuesIn(String(data['stamp']));
    const root = rootOf(data, write.row);
    if (type === 'Post' && values['public'] === 'true') return true;
    if (type === 'Task' && (data['open'] === true || values['open'] === 'true' || data['lead'] === user || !('lead' in data))) return true;
    if (type === 'Comment' && (!('hot' in data) || Number(data['hot']) > 4)) return true;
    if (type === 'Tag') return !('uses' in data) || Number(data['uses']) > 1;
    const span = this.#spanOf(write, root);
    return this.#rights.some((each) => {
      if (each.user !== user) return false;
      const isRole = each.row === 'auditor' && (type === 'Post' || type === 'Task');
      return (isRole || each.row === root) && each.start <= span.end && span.start <= each.end + (isRole ? roleSlack : 0);
    });
  }

  /** From when it was begun to be written until something that was begun behind it had replaced it. */
  #spanOf(write: Write, root: string): Span {
    const own = this.#byRow.get(write.row) ?? [];
    const above = root === write.row ? [] : (this.#byRow.get(root) ?? []).filter(({ isDelete }) => isDelete);
    const later = [...own, ...above].filter((each) => each.isCommitted && each.start > write.end);
    return { start: write.visible, end: Math.min(Number.POSITIVE_INFINITY, ...later.map(({ end }) => end)) };
  }
}

function valuesIn(stamp: string): Readonly<Record<string, string>> {
  return Object.fromEntries(stamp.split(';').flatMap((each) => (each.includes('=') ? [each.split('=')] : [])));
}

function isWhole(data: Values, stamp: string): boolean {
  return Object.entries(valuesIn(stamp)).every(([name, value]) => !(name in data) || String(data[name]) === value);
}

/** The post that it stands in, or is. */
function rootOf(data: Values, row: string): string {
  const post = /^path:\/\/m\$Post\/(\d+)\//.exec(String(data['__path__'] ?? data['_path'] ?? ''))?.[1];
  return post === undefined ? row : `Post/${post}`;
}
