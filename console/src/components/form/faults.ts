// Which faults of an answer stand at fields, and which have no field.

import type { AttributeDescription } from '../../api/model.ts';
import { type Fault, Problem } from '../../api/request.ts';

export function faultsOf(
  thrown: unknown,
  attributes: readonly AttributeDescription[],
): { readonly atFields: readonly Fault[]; readonly others: unknown } {
  if (!(thrown instanceof Problem)) return { atFields: [], others: thrown };
  const isAtField = ({ attribute }: Fault): boolean => attributes.some(({ name }) => name === attribute.split(/[.[]/)[0]);
  const atFields = thrown.errors.filter(isAtField);
  const rest = thrown.errors.filter((each) => !isAtField(each));
  return { atFields, others: new Problem(thrown.status, thrown.code, thrown.message, rest) };
}
