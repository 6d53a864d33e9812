// A number of a request or a model that no double holds exactly: its text, kept for the types that can keep it exactly.

/** Only fractions and exponents travel like this; an integer beyond 2^53 is a bigint. A type that does not know it refuses it. */
export class ExactNumber {
  // The index signature makes it a `Value`, so that the types in between need not know it.
  readonly [key: string]: string;
  /** In the form of JSON: `-12.345678901234567890`, `1e400`. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
    Object.freeze(this);
  }
}
