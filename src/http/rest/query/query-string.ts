// Query strings → pairs, and the faults that are found in them.

import { error, type Fault, faultDetails } from '../../../errors.ts';

export interface QueryPair {
  readonly name: string;
  readonly value: string;
}

/** More pairs than this are refused before they are looked at. */
const mostPairs = 200;

export function pairsOf(query: string): readonly QueryPair[] {
  if (query === '') return [];
  const parts = query.split('&');
  if (parts.length > mostPairs) throw queryInvalid([{ attribute: '', code: 'limit', message: `at most ${mostPairs} parameters` }]);
  return parts.filter((part) => part !== '').map(pairOf);
}

export function queryInvalid(faults: readonly Fault[]): Error {
  return error('query-invalid', faultDetails(faults));
}

function pairOf(part: string): QueryPair {
  const at = part.indexOf('=');
  const [name, value] = at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
  return { name: decode(name), value: decode(value) };
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw error('request-unreadable', { detail: 'The query is not percent-encoded UTF-8.' }, cause);
  }
}
