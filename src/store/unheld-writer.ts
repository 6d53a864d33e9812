// What stands for a transaction where nothing of the store is written, and nothing of it is to be held: each of its reads is one by itself.

import type { Origin, Store, Writer } from './store.ts';

export function unheldWriter(store: Store, origin?: Origin): Writer {
  return {
    one: (select, values) => store.read((tx) => tx.one(select, values), undefined, origin),
    rows: (select, values, until, most) => store.read((tx) => tx.rows(select, values, until, most), undefined, origin),
    page: (select, values) => store.read((tx) => tx.page(select, values), undefined, origin),
    count: (select, values) => store.read((tx) => tx.count(select, values), undefined, origin),
    report: (report, values, until, most) => store.read((tx) => tx.report(report, values, until, most), undefined, origin),
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
