// The list of attribute types. A new type is one file in this folder and one line here.

import { deepFreeze } from '../freeze.ts';
import { any } from './any.ts';
import type { AttributeType } from './attribute-type.ts';
import { bigInteger } from './big-integer.ts';
import { boolean } from './boolean.ts';
import { date } from './date.ts';
import { datetime } from './datetime.ts';
import { decimal } from './decimal.ts';
import { email } from './email.ts';
import { float } from './float.ts';
import { int } from './int.ts';
import { keyword } from './keyword.ts';
import { map } from './map.ts';
import { password } from './password.ts';
import { path } from './path.ts';
import { string } from './string.ts';
import { time } from './time.ts';
import { url } from './url.ts';
import { uuid } from './uuid.ts';

export const attributeTypes: readonly AttributeType[] = Object.freeze(
  [string, int, float, decimal, bigInteger, boolean, uuid, email, date, time, datetime, url, password, map, any, path, keyword].map(
    (type) => deepFreeze(type),
  ),
);

const typesByName: ReadonlyMap<string, AttributeType> = new Map(
  attributeTypes.flatMap((type) => [type.name, ...(type.aliases ?? [])].map((name) => [name, type])),
);

/** The type of this name or alias, as it is written in a model. */
export function findAttributeType(name: string): AttributeType | undefined {
  return typesByName.get(name);
}

/** All names and aliases, for suggestions. */
export function attributeTypeNames(): Iterable<string> {
  return typesByName.keys();
}
