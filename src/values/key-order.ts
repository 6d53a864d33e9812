// The order in which the keys of an object were sent, kept where JavaScript has another one: keys that read as an index come first there.

/** An enumerable symbol goes along where an object is copied by spreading or assigning, and is no key to anybody who looks at keys. */
const keyOrder = Symbol('key order');

/** Every key that reads as an index begins so. */
export function mayBeIndex(key: string): boolean {
  const code = key.charCodeAt(0);
  return code >= 0x30 && code <= 0x39;
}

export function hasOwnOrder(object: object): boolean {
  return keyOrder in object;
}

/** Nothing is kept where the order is the one that the object has by itself. */
export function keepOrder(object: object, names: readonly string[]): void {
  const own = Object.keys(object);
  const sent = [...new Set(names)];
  if (own.some((name, index) => name !== sent[index])) Object.assign(object, { [keyOrder]: sent });
}

/** What was added to a copy comes last. */
export function keysOf(object: object): readonly string[] {
  const own = Object.keys(object);
  const sent = keyOrder in object ? object[keyOrder] : undefined;
  if (!Array.isArray(sent)) return own;
  const left = new Set(own);
  return [...sent.filter((name) => left.delete(name)), ...left];
}

export function entriesOf<T>(object: { readonly [key: string]: T } | readonly T[]): readonly (readonly [string, T])[] {
  const entries = Object.entries(object);
  if (!(keyOrder in object)) return entries;
  const found = new Map(entries);
  return keysOf(object).flatMap((name) => {
    const value = found.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
}
