// Who is served when: so many requests are under way at once, of one network not all of them. What does not fit waits in the order of arrival, networks in
// turn, and is refused when it has waited too long. Behind it nothing in the service decides whose turn it is but the queues before single resources.

import { error, type PlatformError } from '../../errors.ts';
import { FairQueue } from '../../fair-queue.ts';
import type { ServerLimits } from './limits.ts';

/** To be called when a request has no need of its place any more. */
export type Leave = () => void;

interface Waiting {
  readonly client: string;
  begin(leave: Leave): void;
  refuse(reason: PlatformError): void;
  timer: NodeJS.Timeout;
}

export class Admission {
  readonly #queue: FairQueue<Waiting>;
  readonly #longestWait: number;

  constructor({ requests, requestsReserved, requestsWaiting, requestWait }: ServerLimits) {
    this.#queue = new FairQueue({ places: requests, reserved: requestsReserved, waiting: requestsWaiting, waitingOfOne: requestsWaiting });
    this.#longestWait = requestWait;
  }

  /** Whether a request of this client may begin now. What is answered at once takes no place, any other `enter`s. */
  isOpen(client: string): boolean {
    return this.#queue.isOpen(client);
  }

  /** For a request that may begin, and has to wait for its answer. */
  enter(client: string): Leave {
    const request = { client };
    this.#queue.begin(request);
    return this.#leaving(request);
  }

  /** Calls `begin` when there is a place, which it has then, or `refuse`. */
  wait(client: string, begin: Waiting['begin'], refuse: Waiting['refuse']): void {
    const timer = setTimeout(() => {
      if (this.#queue.remove(waiting)) refuse(busy());
    }, this.#longestWait);
    const waiting: Waiting = { client, begin, refuse, timer };
    const refused = this.#queue.add(waiting);
    clearTimeout(refused?.timer);
    refused?.refuse(busy());
  }

  #leaving(request: { readonly client: string }): Leave {
    return () => {
      this.#queue.done(request);
      for (let next = this.#queue.next(); next !== undefined; next = this.#queue.next()) {
        clearTimeout(next.timer);
        setImmediate(next.begin, this.#leaving(next));
      }
    };
  }
}

function busy(): PlatformError {
  return error('service-busy', { detail: 'There are too many requests under way; try again.', retryAfter: 1 });
}
