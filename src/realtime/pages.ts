// Which changes are told together to somebody who comes back.

import { byPlace, type Change } from '../store/changes/change.ts';

export const mostTogether = 500;
/** Characters of changes that are told before what was told has been taken. */
const mostAtOnce = 64 * 1024;

/** As many as may wait together for whoever reads them, at least those of one transaction. */
export function firstOf(changes: readonly Change[]): readonly Change[] {
  let [count, text] = [0, 0];
  for (const transaction of byPlace(changes)) {
    text += transaction.reduce((sum, { before, after }) => sum + (after ?? before ?? '').length, 0);
    if (count > 0 && (text > mostAtOnce || count + transaction.length > mostTogether)) break;
    count += transaction.length;
  }
  return changes.slice(0, count);
}
