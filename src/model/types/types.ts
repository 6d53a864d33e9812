// The list of attribute types. A new type is one file in this folder and one line here.

import { deepFreeze } from '../freeze.ts';
import { any } from './any.ts';
import type { AttributeType } from './attribute-type.ts';
import { boolean } from './boolean.ts';
import { map } from './map.ts';
import { bigInteger } from './number/big-integer.ts';
import { decimal } from './number/decimal.ts';
import { float } from './number/float.ts';
import { int } from './number/int.ts';
import { email } from './text/email.ts';
import { keyword } from './text/keyword.ts';
import { password } from './text/password.ts';
import { path } from './text/path.ts';
import { string } from './text/string.ts';
import { url } from './text/url.ts';
import { uuid } from './text/uuid.ts';
import { date } from './time/date.ts';
import { datetime } from './time/datetime.ts';
import { time } from './time/time.ts';

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
