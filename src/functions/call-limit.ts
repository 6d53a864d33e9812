// Ends a function of the application that does not come back: it holds the only thread, so no timer of the service could.

import { closeSync, openSync } from 'node:fs';
import { url } from 'node:inspector';
import { devNull } from 'node:os';
import { types } from 'node:util';
import { type Context, createContext, Script } from 'node:vm';
import { error } from '../errors.ts';

export interface CallLimit {
  /** Runs work of the application to its end, or for so long; `what` names it where it is ended. */
  one<T>(work: () => T, what: () => string): T;
  /** Runs work by its number for a few milliseconds, all of it under one watch, and gives the first number that is left. */
  some(from: number, to: number, work: (index: number) => void): number;
  /** Runs work in a moment, under one watch with what others want to be run by then. */
  soon<T>(work: () => T, what: () => string): Promise<T>;
  /** Calls `mark` before each watch, and the function that it returns if the work is ended: no `finally` of that work runs then. */
  onEnded(mark: () => () => void): void;
}

/** Milliseconds that one watch may cover several pieces of work: each starts a thread, which costs as much as many short functions. */
const longest = 2;
/** Of the time that each of them has, so that the last one still has nearly all of it. */
const share = 0.1;

/** What is behind the first `await` of a function runs later, outside of the watch. */
export function callLimitFor(milliseconds: number): CallLimit {
  const limited = timeLimit(milliseconds);
  /** Of what is being watched: the last function that was called. */
  let called: (() => string) | undefined;
  let waiting: Waiting[] = [];
  let mark: (() => () => void) | undefined;

  function watched<T>(work: () => T, what: () => string): T {
    called = what;
    const setBack = mark?.();
    try {
      return limited(work);
    } catch (thrown) {
      if (!isTimeout(thrown)) throw thrown;
      setBack?.();
      throw error('dataflow-limit', { detail: `${called()} took longer than ${milliseconds} ms.` }, thrown);
    } finally {
      // Left as it is, whatever comes later would pass for work inside of this watch.
      called = undefined;
    }
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
    onEnded(given) {
      mark = given;
    },
  };
}

/** What waits for the watch that it shares with others. */
interface Waiting {
  run(): void;
  what(): string;
  reject(thrown: unknown): void;
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

/** Runs work as a script whose time limit stops everything that runs inside of it, whatever that catches. */
function timeLimit(milliseconds: number): <T>(work: () => T) => T {
  const scope: { work?: () => unknown } = {};
  // Models without functions do without it.
  let ready: { readonly script: Script; readonly context: Context } | undefined;
  return (work) => {
    ready ??= { script: new Script('work()'), context: createContext(scope) };
    checkDescriptors();
    scope.work = work;
    try {
      return ready.script.runInContext(ready.context, { timeout: milliseconds, displayErrors: false });
    } finally {
      delete scope.work;
    }
  };
}

/** The error is of the script's scope, and no instance of the `Error` of this one. */
function isTimeout(thrown: unknown): boolean {
  return types.isNativeError(thrown) && 'code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

/** The clock of a time limit opens four, and five on Node 24. */
const descriptors = 6;

/** Node ends the process where a time limit finds no descriptors left. */
function checkDescriptors(): void {
  const opened: number[] = [];
  try {
    for (let count = 0; count < descriptors; count += 1) opened.push(openSync(devNull, 'r'));
  } catch (thrown) {
    throw error('service-busy', { retryAfter: 1 }, thrown);
  } finally {
    for (const each of opened) closeSync(each);
  }
}
