// The middle of some numbers.

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((first, second) => first - second);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}
