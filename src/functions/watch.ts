// Ends a function of the application that does not come back: it holds the only thread, so no timer of the service could.

import { url } from 'node:inspector';
import { type Context, createContext, Script } from 'node:vm';
import { error } from '../errors.ts';

/** Runs work of the application to its end, or for so long; `what` names it where it is ended. */
export type Watch = <T>(work: () => T, what: () => string) => T;

/**
 * The runtime's own watchdog: a second thread stops everything that runs inside of the script, whatever it catches.
 * What is behind the first `await` of a function runs later, outside of it.
 */
export function watchFor(milliseconds: number): Watch {
  const room: { work: () => void } = { work: idle };
  // Models without functions do without it.
  let context: Context | undefined;
  return <T>(work: () => T, what: () => string): T => {
    // Who stands at a breakpoint has all the time.
    if (url() !== undefined) return work();
    const outcome: Outcome<T> = {};
    const before = room.work;
    room.work = () => {
      try {
        outcome.done = { value: work() };
      } catch (thrown) {
        outcome.failed = { thrown };
      }
    };
    context ??= createContext(room);
    try {
      script.runInContext(context, { timeout: milliseconds, displayErrors: false });
    } catch (thrown) {
      // It came to its end together with its time.
      if (outcome.done === undefined && outcome.failed === undefined)
        throw error('dataflow-limit', { detail: `${what()} took longer than ${milliseconds} ms.` }, thrown);
    } finally {
      room.work = before;
    }
    if (outcome.done !== undefined) return outcome.done.value;
    throw outcome.failed?.thrown;
  };
}

interface Outcome<T> {
  done?: { readonly value: T };
  failed?: { readonly thrown: unknown };
}

const script = new Script('work()');

function idle(): void {}
