// Ends a function of the application that does not come back: it holds the only thread, so no timer of the service could.

import { url } from 'node:inspector';
import { type Context, createContext, Script } from 'node:vm';
import { error } from '../errors.ts';

export interface CallLimit {
  /** Runs work of the application to its end, or for so long; `what` names it where it is ended. */
  one<T>(work: () => T, what: () => string): T;
  /** Runs work by its number for a few milliseconds, all of it under one watch, and gives the first number that is left. */
  some(from: number, to: number, work: (index: number) => void): number;
}

/** Milliseconds that one watch may cover several pieces of work: starting one costs as much as a hundred short functions. */
const longest = 2;
/** Of the time that each of them has, so that the last one still has nearly all of it. */
const share = 0.1;

/**
 * The runtime's own watchdog: a second thread stops everything that runs inside of the script, whatever it catches.
 * What is behind the first `await` of a function runs later, outside of it.
 */
export function callLimitFor(milliseconds: number): CallLimit {
  const room: { work: () => void } = { work: idle };
  // Models without functions do without it.
  let context: Context | undefined;
  /** Of what is being watched: the last function that was called. */
  let called: (() => string) | undefined;

  function watched<T>(work: () => T, what: () => string): T {
    const outcome: Outcome<T> = {};
    room.work = () => {
      try {
        outcome.done = { value: work() };
      } catch (thrown) {
        outcome.failed = { thrown };
      }
    };
    context ??= createContext(room);
    called = what;
    try {
      script.runInContext(context, { timeout: milliseconds, displayErrors: false });
    } catch (thrown) {
      // It came to its end together with its time.
      if (outcome.done === undefined && outcome.failed === undefined)
        throw error('dataflow-limit', { detail: `${called()} took longer than ${milliseconds} ms.` }, thrown);
    } finally {
      room.work = idle;
      called = undefined;
    }
    if (outcome.done !== undefined) return outcome.done.value;
    throw outcome.failed?.thrown;
  }

  return {
    one(work, what) {
      if (called !== undefined) called = what;
      // Who stands at a breakpoint has all the time.
      return called !== undefined || url() !== undefined ? work() : watched(work, what);
    },
    some(from, to, work) {
      let index = from;
      const several = (): void => {
        const end = performance.now() + Math.min(longest, milliseconds * share);
        do work(index++);
        while (index < to && performance.now() < end);
      };
      if (called === undefined && url() === undefined) watched(several, aFunction);
      else several();
      return index;
    },
  };
}

interface Outcome<T> {
  done?: { readonly value: T };
  failed?: { readonly thrown: unknown };
}

const script = new Script('work()');

function idle(): void {}

function aFunction(): string {
  return 'A function';
}
