// The program of a regular expression: its characters in the order in which they may follow each other, repetitions written out.

import { type Assertion, type FormatNode, FormatRefusal } from './syntax.ts';

export type Instruction =
  | { readonly kind: 'character'; readonly character: number; readonly next: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: 'fork'; readonly targets: number[] }
  | { readonly kind: 'accept' };

export interface FormatProgram {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  /** Each character that is written, once. */
  readonly characters: readonly string[];
}

/** Bounds the memory of a format and the work for each character of a text. */
const mostInstructions = 20_000;

/** No text that is matched is longer than `longest`, so that no more repetitions of anything can count. */
export function compileFormat(root: FormatNode, longest: number): FormatProgram {
  const instructions: Instruction[] = [];
  const characters = new Map<string, number>();
  let visits = 0;

  function push(instruction: Instruction): number {
    instructions.push(instruction);
    return instructions.length - 1;
  }

  /** From the end to the beginning: `next` is what follows the node. */
  function emit(node: FormatNode, next: number): number {
    visits += 1;
    if (visits > mostInstructions || instructions.length > mostInstructions)
      throw new FormatRefusal('its repetitions are too many, written out');
    switch (node.kind) {
      case 'character': {
        const character = characters.get(node.source) ?? characters.size;
        characters.set(node.source, character);
        return push({ kind: 'character', character, next });
      }
      case 'assertion':
        return push({ kind: 'assertion', assertion: node.assertion, next });
      case 'sequence':
        return node.parts.reduceRight((after, part) => emit(part, after), next);
      case 'choice':
        return push({ kind: 'fork', targets: node.branches.map((each) => emit(each, next)) });
      case 'repetition':
        return emitRepetition(node.body, node.least, node.most, next);
    }
  }

  function emitRepetition(body: FormatNode, least: number, most: number, next: number): number {
    let entry = next;
    if (most > longest) {
      const targets = [next];
      entry = push({ kind: 'fork', targets });
      targets.push(emit(body, entry));
    } else {
      for (let count = least; count < most; count += 1) entry = push({ kind: 'fork', targets: [emit(body, entry), next] });
    }
    for (let count = Math.min(least, longest + 1); count > 0; count -= 1) entry = emit(body, entry);
    return entry;
  }

  const start = emit(root, push({ kind: 'accept' }));
  return { instructions, start, characters: [...characters.keys()] };
}
