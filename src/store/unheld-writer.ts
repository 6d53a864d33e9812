// What stands for a transaction where nothing of the store is written, and nothing of it is to be held: each of its reads is one by itself.

import type { Store, Writer } from './store.ts';

export function unheldWriter(store: Store): Writer {
  return {
    one: (select, values) => store.read((tx) => tx.one(select, values)),
    rows: (select, values, until, most) => store.read((tx) => tx.rows(select, values, until, most)),
    page: (select, values) => store.read((tx) => tx.page(select, values)),
    count: (select, values) => store.read((tx) => tx.count(select, values)),
    report: (report, values, until, most) => store.read((tx) => tx.report(report, values, until, most)),
    insert: refused,
    insertEach: refused,
    update: refused,
    updateEach: refused,
    delete: refused,
    alone: () => {},
    attempt: async (work) => work(),
  };
}

function refused(): never {
  throw new Error('something was to be stored outside of a transaction');
}
