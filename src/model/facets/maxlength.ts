// `@maxlength(5)`: the most characters of a text.

import type { FacetType } from './facet.ts';

export const maxlength: FacetType = {
  name: 'maxlength',
  takes: 'integer',
  fits: ({ type }) => type.kind === 'plain' && type.type.column === 'text' && type.type.secret !== true,
  needs: 'texts',
  read(given) {
    if (typeof given !== 'number' || given < 1) return 'it is not positive';
    return {
      name: 'maxlength',
      given,
      fits: (value) => typeof value !== 'string' || [...value].length <= given,
      demand: `have at most ${given} characters`,
      expected: `of at most ${given} characters`,
      schema: { maxLength: given },
      documentation: `At most ${given} characters.`,
      example: () => 'x'.repeat(Math.min(given, 5)),
    };
  },
};
