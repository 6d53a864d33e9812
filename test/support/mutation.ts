// In charge of small damages to a text: what a hand that slips does to a source.

import fc, { type Arbitrary } from 'fast-check';

export interface Mutation {
  readonly kind: 'delete' | 'insert' | 'repeat' | 'cut';
  readonly where: number;
  readonly length: number;
  readonly text: string;
}

/** One to five damages; what they insert is one of the words, or any characters. */
export function mutations(words: readonly string[]): Arbitrary<readonly Mutation[]> {
  const mutation: Arbitrary<Mutation> = fc.record({
    kind: fc.constantFrom('delete' as const, 'insert' as const, 'repeat' as const, 'cut' as const),
    where: fc.nat(),
    length: fc.nat({ max: 20 }),
    text: fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary', maxLength: 3 })),
  });
  return fc.array(mutation, { minLength: 1, maxLength: 5 });
}

export function mutated(text: string, damages: readonly Mutation[]): string {
  return damages.reduce(mutate, text);
}

function mutate(text: string, { kind, where, length, text: inserted }: Mutation): string {
  const offset = text.length === 0 ? 0 : where % text.length;
  const [before, behind] = [text.slice(0, offset), text.slice(offset)];
  switch (kind) {
    case 'delete':
      return before + behind.slice(length);
    case 'insert':
      return before + inserted + behind;
    case 'repeat':
      return before + behind.slice(0, length) + behind;
    case 'cut':
      return length === 0 ? before : text;
  }
}
