// The type Map: a JSON object.

import type { Value } from '../../values/value.ts';
import type { AttributeType } from './attribute-type.ts';
import { isMap, refusalInside, storable } from './json.ts';

export const map: AttributeType = {
  name: 'Map',
  aliases: ['Record', 'Entity', 'Event'],
  column: 'json',
  expected: 'an object',
  parse: parseMap,
  refusal: (input) => (isMap(input) ? refusalInside(input) : undefined),
  // JSON is not compared: no text of a query string or a path stands for one.
  parseText: () => undefined,
  schema: { type: 'object', additionalProperties: true },
  example: { key: 'value' },
  identifies: false,
};

function parseMap(input: Value): Value | undefined {
  return isMap(input) ? storable(input) : undefined;
}
