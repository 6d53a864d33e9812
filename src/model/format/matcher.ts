// Matches whole texts in one pass without backtracking: all places of the program at once, sets of places kept as states with their transitions.

import type { FormatProgram, Instruction } from './program.ts';

/** A set of places in the program, before what is there has been followed for the next character. */
interface State {
  readonly places: Uint16Array;
  readonly isStart: boolean;
  readonly isAfterWord: boolean;
  /** By the kind of the next character. */
  readonly next: (State | undefined)[];
  accepts: boolean | undefined;
}

/** Characters that the program cannot tell apart. */
interface CharacterKind {
  readonly id: number;
  readonly fits: readonly boolean[];
  readonly isWord: boolean;
}

/** How much states and kinds may hold before they are all made anew: places, transitions and characters. */
const mostKept = 500_000;

const noNext: CharacterKind = { id: -1, fits: [], isWord: false };

export class FormatMatcher {
  readonly #instructions: readonly Instruction[];
  readonly #entry: number;
  readonly #tests: readonly RegExp[];
  readonly #byCodePoint: boolean;
  readonly #seen: Uint32Array;
  #round = 0;
  #states = new Map<string, State>();
  #kinds = new Map<string, CharacterKind>();
  /** Of ASCII by code, and of the others. */
  #kindOf: (CharacterKind | undefined)[] = [];
  #otherKinds = new Map<number, CharacterKind>();
  #start: State | undefined;
  #kept = 0;

  constructor(program: FormatProgram, flags: string) {
    this.#instructions = program.instructions;
    this.#entry = program.start;
    this.#tests = program.characters.map((each) => new RegExp(`^${each}$`, flags));
    this.#byCodePoint = flags === 'u';
    this.#seen = new Uint32Array(program.instructions.length);
  }

  test(text: string): boolean {
    this.#start ??= this.#state(Uint16Array.of(this.#entry), true, false);
    let state = this.#start;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      const code = unit < 0xd800 || !this.#byCodePoint ? unit : (text.codePointAt(at) ?? unit);
      if (code > 0xffff) at += 1;
      const kind = (code < 128 ? this.#kindOf[code] : this.#otherKinds.get(code)) ?? this.#addKind(code);
      state = state.next[kind.id] ?? this.#step(state, kind);
      if (state.places.length === 0) return false;
      if (this.#kept > mostKept) {
        this.#forget();
        state = this.#state(state.places, false, state.isAfterWord);
      }
    }
    state.accepts ??= this.#follow(state, noNext).some((each) => each.kind === 'accept');
    return state.accepts;
  }

  #step(state: State, kind: CharacterKind): State {
    const places = new Set<number>();
    for (const each of this.#follow(state, kind))
      if (each.kind === 'character' && kind.fits[each.character] === true) places.add(each.next);
    const next = this.#state(Uint16Array.from(places).sort(), false, kind.isWord);
    state.next[kind.id] = next;
    this.#kept += 1;
    return next;
  }

  /** The characters, and the end, that the state leads to where `kind` is the next character. */
  #follow({ places, isStart, isAfterWord }: State, kind: CharacterKind): readonly Instruction[] {
    const holds = {
      start: isStart,
      end: kind === noNext,
      boundary: isAfterWord !== kind.isWord,
      'no-boundary': isAfterWord === kind.isWord,
    };
    const found: Instruction[] = [];
    const open = [...places];
    this.#round += 1;
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      const instruction = this.#instructions[place];
      if (instruction === undefined || this.#seen[place] === this.#round) continue;
      this.#seen[place] = this.#round;
      if (instruction.kind === 'fork') for (const target of instruction.targets) open.push(target);
      else if (instruction.kind !== 'assertion') found.push(instruction);
      else if (holds[instruction.assertion]) open.push(instruction.next);
    }
    return found;
  }

  #state(places: Uint16Array, isStart: boolean, isAfterWord: boolean): State {
    // Places are fewer than units of a text have values.
    const key = `${isStart ? '^' : isAfterWord ? 'w' : '-'}${String.fromCharCode(...places)}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state: State = { places, isStart, isAfterWord, next: [], accepts: undefined };
    this.#states.set(key, state);
    this.#kept += 1 + places.length;
    return state;
  }

  #addKind(code: number): CharacterKind {
    const character = this.#byCodePoint ? String.fromCodePoint(code) : String.fromCharCode(code);
    const fits = this.#tests.map((each) => each.test(character));
    const isWord = /^\w$/.test(character);
    const key = `${isWord}${fits.map(Number).join('')}`;
    const kind = this.#kinds.get(key) ?? { id: this.#kinds.size, fits, isWord };
    this.#kinds.set(key, kind);
    if (code < 128) this.#kindOf[code] = kind;
    else this.#otherKinds.set(code, kind);
    this.#kept += 1;
    return kind;
  }

  #forget(): void {
    this.#states = new Map();
    this.#kinds = new Map();
    this.#kindOf = [];
    this.#otherKinds = new Map();
    this.#start = undefined;
    this.#kept = 0;
  }
}
