// The type Any: any JSON value.

import type { AttributeType, Value } from './attribute-type.ts';
import { isStorable, readJson } from './json.ts';

export const any: AttributeType = {
  name: 'Any',
  aliases: ['Edn'],
  column: 'json',
  expected: 'a JSON value',
  parse: parseAny,
  parseText: parseAnyText,
  schema: {},
  identifies: false,
};

function parseAny(input: Value): Value | undefined {
  return isStorable(input) ? input : undefined;
}

/** Text that is not JSON means itself: `?note=hello`. */
function parseAnyText(text: string): Value | undefined {
  const value = readJson(text);
  return parseAny(value === undefined ? text : value);
}
