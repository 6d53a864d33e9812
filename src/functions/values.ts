// What a function of the application gave, as a value of the service: whatever its language, at most so many parts and levels of it.

import { error, type PlatformError } from '../errors.ts';
import type { Value } from '../values/value.ts';

/** What a function gives has at most so many parts, and levels: it may have no end. */
const mostParts = 1_000_000;
const deepestLevel = 200;

/** How the values of one language are read. */
export interface ResultReader {
  bigint(value: bigint): Value;
  /** What is neither text, number, truth value nor object. */
  other(value: unknown): Value;
  /** What is an object there and a single value here. */
  single(value: object): Value | undefined;
  parts(value: object, result: Result): Value;
}

/** What has been read of a result so far. */
export class Result {
  readonly #reader: ResultReader;
  #left = mostParts;
  #depth = 0;

  constructor(reader: ResultReader) {
    this.#reader = reader;
  }

  value(given: unknown): Value {
    this.expect(1);
    this.#left -= 1;
    switch (typeof given) {
      case 'string':
      case 'boolean':
        return given;
      case 'bigint':
        return this.#reader.bigint(given);
      case 'number':
        return Number.isFinite(given) ? given : null;
      case 'object':
        return given === null ? null : (this.#reader.single(given) ?? this.#parts(given));
      default:
        return this.#reader.other(given);
    }
  }

  /** Refuses so many more parts before they are read. */
  expect(parts: number): void {
    if (parts > this.#left) throw noValue(`What the function gives has more than ${mostParts} parts.`);
  }

  #parts(given: object): Value {
    this.#depth += 1;
    if (this.#depth > deepestLevel) throw noValue(`What the function gives is deeper than ${deepestLevel} levels.`);
    const found = this.#reader.parts(given, this);
    this.#depth -= 1;
    return found;
  }
}

/** The failure of a call whose result is no data. */
export function noValue(detail: string): PlatformError {
  return error('dataflow-failed', { detail });
}
