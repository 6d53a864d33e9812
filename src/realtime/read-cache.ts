// What was read of changes, whoever asked: kept for as long as the changes are, as everybody who is told of them asks the same.

import type { Select } from '../plan/query/shape.ts';
import type { Change } from '../store/changes/change.ts';
import { bytesOfRow, type Row } from '../store/store.ts';
import { mostChanges, mostText, textIn } from './recent.ts';

export interface RowIdentity {
  readonly key: string;
  readonly value: Row['columns'][number];
  readonly json: string;
  /** What assignments of it are about, with everything below it. */
  readonly target: string;
}

/** What names a row before and after a change. */
export interface Identities {
  readonly before: RowIdentity | undefined;
  readonly after: RowIdentity | undefined;
}

export interface Assigned {
  readonly target: string;
  readonly assignee: string;
  readonly resource: string;
}

interface RenderedRows {
  readonly rows: Map<Select, Row>;
  text: number;
}

/** Characters that are kept for each change besides as many as it has itself: of all that are kept, together twice what those may have. */
const mostRendered = Math.floor(mostText / mostChanges);

export class ReadCache {
  readonly #identities = new WeakMap<Select, WeakMap<Change, Identities>>();
  readonly #rendered = new WeakMap<Change, RenderedRows>();
  /** Whom changed assignments are for, and what they are about. */
  readonly assigned = new WeakMap<Change, readonly Assigned[]>();

  identities(select: Select): WeakMap<Change, Identities> {
    return ofSelect(this.#identities, select);
  }

  /** The row after a change, as everybody is shown it who may read it. */
  rendered(select: Select, change: Change): Row | undefined {
    return this.#rendered.get(change)?.rows.get(select);
  }

  /** Where many select different things of a change, the first of them have what is kept, and the others read theirs with each batch. */
  addRendered(select: Select, change: Change, row: Row): void {
    const known = this.#rendered.get(change) ?? { rows: new Map<Select, Row>(), text: 0 };
    const text = textOf(row);
    if (known.rows.has(select) || known.text + text > mostRendered + textIn(change)) return;
    known.rows.set(select, row);
    known.text += text;
    this.#rendered.set(change, known);
  }
}

function ofSelect<V>(all: WeakMap<Select, WeakMap<Change, V>>, select: Select): WeakMap<Change, V> {
  const known = all.get(select);
  if (known !== undefined) return known;
  const made = new WeakMap<Change, V>();
  all.set(select, made);
  return made;
}

function textOf({ json, columns }: Row): number {
  return columns.reduce<number>((sum, each) => sum + (typeof each === 'string' ? each.length : 0), json.length + bytesOfRow);
}
