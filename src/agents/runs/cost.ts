// What replies of language models cost, exactly, by the prices of the settings. Where a price is not known nothing is guessed: the cost is not known either.

import { calculate, canonical } from '../../values/arithmetic.ts';
import { ExactNumber } from '../../values/exact-number.ts';
import type { Price } from '../settings.ts';

/** The text of a decimal; absent where it is not known. */
export type Cost = string | undefined;

export interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export const nothing: Cost = '0';

const millionth = new ExactNumber('0.000001');

export function costOf({ inputTokens, outputTokens }: Tokens, price: Price | undefined): Cost {
  if (price === undefined) return inputTokens + outputTokens === 0 ? nothing : undefined;
  return addedCost(product(inputTokens, price.input), product(outputTokens, price.output));
}

export function addedCost(first: Cost, second: Cost): Cost {
  if (first === undefined || second === undefined) return undefined;
  return textOf(calculate('+', new ExactNumber(first), new ExactNumber(second)));
}

function product(tokens: number, price: string): Cost {
  const whole = calculate('*', tokens, new ExactNumber(price));
  return whole === null ? undefined : textOf(calculate('*', whole, millionth));
}

function textOf(value: ReturnType<typeof calculate>): Cost {
  return value instanceof ExactNumber ? canonical(value) : undefined;
}
