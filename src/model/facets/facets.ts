// The list of annotations that say something of the values of an attribute. A new one is one file in this folder and one line here.

import { deepFreeze } from '../freeze.ts';
import type { FacetType } from './facet.ts';
import { format } from './format.ts';

export const facetTypes: readonly FacetType[] = deepFreeze([format]);
