// Ends a function of the application that does not come back: it holds the only thread, so no timer of the service could.

import { Session, url } from 'node:inspector';
import { error } from '../errors.ts';

export interface CallLimit {
  /** Runs work of the application to its end, or for so long; `what` names it where it is ended. */
  one<T>(work: () => T, what: () => string): T;
  /** Runs work by its number for a few milliseconds, all of it under one watch, and gives the first number that is left. */
  some(from: number, to: number, work: (index: number) => void): number;
  /** Runs work in a moment, under one watch with what others want to be run by then. */
  soon<T>(work: () => T, what: () => string): Promise<T>;
}

/** Milliseconds that one watch may cover several pieces of work: starting one costs as much as many short functions. */
const longest = 2;
/** Of the time that each of them has, so that the last one still has nearly all of it. */
const share = 0.1;

/** What is behind the first `await` of a function runs later, outside of the watch. */
export function callLimitFor(milliseconds: number): CallLimit {
  const watchdog = new Watchdog(milliseconds);
  /** Of what is being watched: the last function that was called. */
  let called: (() => string) | undefined;
  let waiting: Waiting[] = [];

  function watched<T>(work: () => T, what: () => string): T {
    const outcome: Outcome<T> = {};
    called = what;
    let last = what;
    let ended: unknown;
    try {
      ended = watchdog.run(() => {
        try {
          outcome.done = { value: work() };
        } catch (thrown) {
          outcome.failed = { thrown };
        }
      });
    } finally {
      // Left as it is, whatever comes later would pass for work inside of this watch.
      last = called;
      called = undefined;
    }
    if (outcome.done !== undefined) return outcome.done.value;
    if (outcome.failed !== undefined) throw outcome.failed.thrown;
    throw error('dataflow-limit', { detail: `${last()} took longer than ${milliseconds} ms.` }, ended);
  }

  /** Who stands at a breakpoint has all the time; what is called afterwards is watched again. */
  function unwatched(work: () => void): void {
    try {
      work();
    } finally {
      called = undefined;
    }
  }

  function some(from: number, to: number, work: (index: number) => void): number {
    let index = from;
    const several = (): void => {
      const end = performance.now() + Math.min(longest, milliseconds * share);
      do work(index++);
      while (index < to && performance.now() < end);
    };
    if (called !== undefined) several();
    else if (url() === undefined) watched(several, aFunction);
    else unwatched(several);
    return index;
  }

  function runWaiting(): void {
    const all = waiting;
    waiting = [];
    for (let next = 0; next < all.length; ) {
      const first = next;
      try {
        some(first, all.length, (index) => {
          next = index + 1;
          called = all[index]?.what;
          all[index]?.run();
        });
      } catch (thrown) {
        next = Math.max(next, first + 1);
        all[next - 1]?.reject(thrown);
      }
    }
  }

  return {
    one(work, what) {
      if (called !== undefined) called = what;
      // Who stands at a breakpoint has all the time.
      return called !== undefined || url() !== undefined ? work() : watched(work, what);
    },
    some,
    soon: (work, what) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(runWaiting);
        waiting.push({ run: () => settle(work, resolve, reject), what, reject });
      }),
  };
}

/** What waits for the watch that it shares with others. */
interface Waiting {
  run(): void;
  what(): string;
  reject(thrown: unknown): void;
}

interface Outcome<T> {
  done?: { readonly value: T };
  failed?: { readonly thrown: unknown };
}

function settle<T>(work: () => T, resolve: (value: T) => void, reject: (thrown: unknown) => void): void {
  try {
    resolve(work());
  } catch (thrown) {
    reject(thrown);
  }
}

function aFunction(): string {
  return 'A function';
}

/** Milliseconds after which a watchdog that nobody needs lets go of the inspector. */
const idleTime = 10_000;

/**
 * The inspector's own time limit of an evaluation: a timer of the runtime stops everything that runs inside of it, whatever that catches. The session is
 * one within the process, and opens no port. The time limit of `node:vm` starts a thread for each call, which costs three times as much.
 */
class Watchdog {
  readonly #milliseconds: number;
  // Models without functions do without it.
  #session: Session | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Gives what the inspector says where it has ended the work. */
  run(work: () => void): unknown {
    const session = this.#connected();
    let ended: unknown;
    // The inspector evaluates text, in the global scope: the work is left where the text finds it.
    Reflect.set(globalThis, slot, work);
    try {
      session.post('Runtime.evaluate', { expression, timeout: this.#milliseconds }, (failure) => {
        ended = failure;
      });
    } finally {
      Reflect.deleteProperty(globalThis, slot);
    }
    return ended;
  }

  #connected(): Session {
    if (this.#session !== undefined) {
      this.#idle?.refresh();
      return this.#session;
    }
    const session = new Session();
    session.connect();
    this.#session = session;
    this.#idle = setTimeout(() => {
      session.disconnect();
      this.#session = undefined;
    }, idleTime).unref();
    return session;
  }
}

const slot = Symbol.for('platform.watched');
const expression = `globalThis[Symbol.for('platform.watched')]()`;
