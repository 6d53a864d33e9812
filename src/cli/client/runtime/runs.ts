// Runs of agents in a generated client: what can be done about them. Part of the generated file.

import type { Description } from './collection.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './types.ts';

type Act<Run, Options = CallOptions> = (id: string, options?: Options) => Promise<Run>;

/** The call that was seen, as `waitingFor` of a `WaitingError` names it: where the run waits for another one by now, nothing is done. */
interface DecisionOptions extends CallOptions {
  readonly call?: string;
  readonly step?: number;
}

/** Each gives the run as it is then. */
export interface Runs<Run> {
  /** The call that it waits for is made. */
  readonly approve: Act<Run, DecisionOptions>;
  /** It goes on without the call that it waits for. */
  readonly reject: Act<Run, DecisionOptions>;
  readonly cancel: Act<Run>;
  /** A run that was left is taken up. */
  readonly resume: Act<Run>;
}

export function runsOf<Run>(connection: Connection, path: string, { integers }: Description): Runs<Run> {
  const act =
    (action: string): Act<Run, DecisionOptions> =>
    (id, { signal, call, step } = {}) =>
      connection.read({
        method: 'POST',
        path: `${path}/${encodeURIComponent(id)}/${action}`,
        ...(call === undefined && step === undefined ? {} : { body: { call, step } }),
        signal,
        integers,
        flat: connection.form.instance,
      });
  return { approve: act('approve'), reject: act('reject'), cancel: act('cancel'), resume: act('resume') };
}
