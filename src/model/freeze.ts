// Makes the finished model immutable.

/** Freezes plain data all the way down. Spans are left out: they belong to the source text. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (value instanceof Map) freezeMap(value);
  Object.freeze(value);
  // Not Object.entries: for thousands of attributes its pairs would cost more than all the rest.
  for (const key in value) if (key !== 'span') deepFreeze(value[key]);
  return value;
}

/** `Object.freeze` does not reach what a Map holds: its methods have to refuse. */
function freezeMap(map: Map<unknown, unknown>): void {
  const refuse = { value: refuseChange };
  Object.defineProperties(map, { set: refuse, delete: refuse, clear: refuse });
  for (const each of map.values()) deepFreeze(each);
}

function refuseChange(): never {
  throw new TypeError('the model cannot be changed');
}
