// The runner's end of the load generator.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isResult, kindOf, type LoadResult, type LoadTask } from './load-messages.ts';

export class Generator {
  readonly #process: ChildProcess;

  constructor() {
    this.#process = fork(fileURLToPath(new URL('load.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] });
  }

  /** Calls `before` and `after` when all connections are open and when the last answer is there. */
  async run(task: Omit<LoadTask, 'kind'>, before: () => void = nothing, after: () => void = nothing): Promise<LoadResult> {
    this.#process.send({ kind: 'task', ...task });
    const ready = await this.#message();
    if (kindOf(ready) !== 'ready') throw failed(ready);
    before();
    this.#process.send({ kind: 'go' });
    const result = await this.#message();
    after();
    if (!isResult(result)) throw failed(result);
    return result;
  }

  close(): void {
    this.#process.kill();
  }

  async #message(): Promise<unknown> {
    const [message]: unknown[] = await once(this.#process, 'message');
    return message;
  }
}

function nothing(): void {}

function failed(message: unknown): Error {
  const reason = typeof message === 'object' && message !== null && 'message' in message ? message.message : message;
  return new Error(`the load failed: ${String(reason)}`);
}
