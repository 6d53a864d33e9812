// `@format("[A-Z]+")`: a regular expression that the whole text must match.

import { formatExample, formatOf } from '../format/format.ts';
import { FormatRefusal } from '../format/syntax.ts';
import type { Facet, FacetType } from './facet.ts';

export const format: FacetType = {
  name: 'format',
  takes: 'text',
  fits: ({ type }) => type.kind === 'plain' && type.type.column === 'text' && type.type.secret !== true,
  needs: 'texts',
  read: (given) => (typeof given === 'string' ? formatFacet(given) : 'it is no text'),
  invalid: 'format-invalid',
};

function formatFacet(given: string): Facet | string {
  try {
    const { fits } = formatOf(given);
    return {
      name: 'format',
      given,
      fits: (value) => typeof value !== 'string' || fits(value),
      demand: `have the format ${given}`,
      expected: `of the format \`${given}\``,
      schema: { pattern: `^(?:${given})$` },
      example: () => formatExample(given),
    };
  } catch (refusal) {
    if (!(refusal instanceof FormatRefusal)) throw refusal;
    return refusal.message;
  }
}
