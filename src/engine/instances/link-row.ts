// Writes the row of a link, and says what is in its way where there is one already.

import { isError, PlatformError } from '../../errors.ts';
import type { LinkPlan } from '../../plan/plan.ts';
import type { Row } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import type { WriteContext } from '../operation.ts';
import { insertRow } from '../rows/rows.ts';

export async function insertLinkRow(plan: LinkPlan, values: readonly Value[], context: WriteContext): Promise<Row> {
  try {
    return await insertRow(plan, values, context);
  } catch (thrown) {
    throw isError(thrown, 'duplicate') ? linkDuplicate(plan, thrown) : thrown;
  }
}

/** Says which two are linked already, or which end has no room for another link. */
function linkDuplicate({ ends, local }: LinkPlan, thrown: PlatformError): PlatformError {
  const { columns = [] } = thrown.origin;
  const taken = columns.length > 0 && columns.every((each) => ends.some((end) => end.column === each));
  if (!taken) return thrown;
  const [first, second] = ends;
  const one = columns[0] === first.column ? first : second;
  const other = one === first ? second : first;
  const detail =
    columns.length === 2
      ? `This ${first.attribute} and this ${second.attribute} are already linked by ${local}.`
      : `This ${one.attribute} is already linked by ${local}, which takes one ${other.attribute} for it.`;
  return new PlatformError('duplicate', { ...thrown.details, detail }, thrown.cause, thrown.origin);
}
