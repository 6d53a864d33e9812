// Random choices that a seed repeats: what an application's oracle draws its operations with.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 1, without 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Both bounds included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.integer(0, values.length - 1)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  }

  /** One of what there is, or something else where there is nothing, and now and then anyway. */
  pickOr<T>(values: readonly T[], otherwise: T, probability = 0.05): T {
    return values.length === 0 || this.chance(probability) ? otherwise : this.pick(values);
  }

  /** As a client may send it: with none to so many digits behind the point, zeros at the end too. */
  decimal(whole: number, places: number): string {
    const digits = this.integer(0, places);
    const fraction = Array.from({ length: digits }, () => this.integer(0, 9)).join('');
    return `${this.integer(0, whole)}${digits === 0 ? '' : `.${fraction}`}`;
  }

  /** One of several, each as often as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    throw new Error('no choice');
  }
}
