// The built-in functions on numbers, by name, with how many arguments they take.

export const numberFunctions: ReadonlyMap<string, readonly [least: number, most: number]> = new Map([
  ['round', [1, 2]],
  ['floor', [1, 1]],
  ['ceil', [1, 1]],
  ['abs', [1, 1]],
  ['min', [1, Number.POSITIVE_INFINITY]],
  ['max', [1, Number.POSITIVE_INFINITY]],
]);
