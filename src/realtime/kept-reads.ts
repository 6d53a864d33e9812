// What was read of changes, whoever asked: kept for as long as the changes are, as everybody who is told of them asks the same.

import type { Select } from '../plan/query/shape.ts';
import type { Change } from '../store/changes/changes.ts';
import type { Row } from '../store/store.ts';

export interface NamedRow {
  readonly key: string;
  readonly value: Row['columns'][number];
  readonly json: string;
  /** What assignments of it are about, with everything below it. */
  readonly target: string;
}

/** What names a row before and after a change. */
export interface Names {
  readonly before: NamedRow | undefined;
  readonly after: NamedRow | undefined;
}

export interface Assigned {
  readonly target: string;
  readonly assignee: string;
  readonly resource: string;
}

export class KeptReads {
  readonly #names = new WeakMap<Select, WeakMap<Change, Names>>();
  readonly #shown = new WeakMap<Select, WeakMap<Change, Row>>();
  /** Whom changed assignments are for, and what they are about. */
  readonly assigned = new WeakMap<Change, readonly Assigned[]>();

  names(select: Select): WeakMap<Change, Names> {
    return ofSelect(this.#names, select);
  }

  /** Rows after changes, as everybody is shown them who may read them. */
  shown(select: Select): WeakMap<Change, Row> {
    return ofSelect(this.#shown, select);
  }
}

function ofSelect<V>(all: WeakMap<Select, WeakMap<Change, V>>, select: Select): WeakMap<Change, V> {
  const known = all.get(select);
  if (known !== undefined) return known;
  const made = new WeakMap<Change, V>();
  all.set(select, made);
  return made;
}
