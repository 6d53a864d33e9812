// What the engine is told of a request, where more is known of it than HTTP says: somebody who listens to what an agent does, another signal that ends it.

import type { RequestInfo } from '../engine/operation.ts';

/** A request as it comes from a socket has getters, which a copy would not have. */
export function requestInfo(request: RequestInfo, signal: AbortSignal | undefined, progress: RequestInfo['progress']): RequestInfo {
  const signals = [request.signal, signal].filter((each) => each !== undefined);
  const { id, remote, memory, signs } = request;
  return {
    id,
    remote,
    ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
    ...(memory === undefined ? {} : { memory }),
    ...(signs === undefined ? {} : { signs }),
    ...(progress === undefined ? {} : { progress }),
  };
}
