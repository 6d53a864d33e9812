// Which changes are told together: not too many, and not a row without those who may read it.

import type { Watch } from '../engine/watch/watch.ts';
import type { Change } from '../store/changes/changes.ts';

export const mostTogether = 500;
/** Characters of changes that are told to somebody who comes back, before they have taken what was told. */
const mostAtOnce = 64 * 1024;

/** As many as may wait together for whoever reads them. */
export function firstOf(changes: readonly Change[], watch: Watch): readonly Change[] {
  let bytes = 0;
  const end = changes.findIndex(({ before, after }, index) => {
    bytes += (after ?? before ?? '').length;
    return index > 0 && (bytes > mostAtOnce || index >= mostTogether);
  });
  return end === -1 ? changes : withTheirOwners(changes.slice(0, end), changes.slice(end), [watch]);
}

/**
 * With those that follow in the same transaction: who owns a row is written down behind it, and one that is deleted soon after could otherwise be
 * read in no state that is told of. Where the log has no transactions, with what says who owns what.
 */
export function withTheirOwners(changes: readonly Change[], behind: readonly Change[], watches: Iterable<Watch>): readonly Change[] {
  const last = changes.at(-1);
  if (last === undefined || behind.length === 0) return changes;
  const owning = new Set<string>();
  for (const { deciding } of watches) for (const { table, resources } of deciding) if (resources !== undefined) owning.add(table.name);
  const belongs = ({ place: { tx }, source }: Change): boolean => (last.place.tx > 0 ? tx === last.place.tx : owning.has(source));
  const end = behind.slice(0, mostTogether).findIndex((each) => !belongs(each));
  return [...changes, ...behind.slice(0, end === -1 ? mostTogether : end)];
}
