// Runs of agents and workflows in a generated client: what can be done about them. Part of the generated file.

import type { Description } from './collection.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './types.ts';

type Act<Run, Options = CallOptions> = (id: string, options?: Options) => Promise<Run>;

/** The call that was seen, as `waitingFor` of a `WaitingError` names it: where the run waits for another one by now, nothing is done. */
interface DecisionOptions extends CallOptions {
  readonly call?: string;
  readonly step?: number;
}

interface ResumeOptions extends CallOptions {
  /** What a run waits for that a resolver has suspended: any JSON. */
  readonly data?: unknown;
}

/** Each gives the run as it is then. */
export interface Runs<Run> {
  /** The call that it waits for is made. */
  readonly approve: Act<Run, DecisionOptions>;
  /** It goes on without the call that it waits for. */
  readonly reject: Act<Run, DecisionOptions>;
  readonly cancel: Act<Run>;
  /** A run that was left is taken up, and one that was suspended goes on with the data. */
  readonly resume: Act<Run, ResumeOptions>;
}

export function runsOf<Run>(connection: Connection, path: string, { integers }: Description): Runs<Run> {
  const act =
    (action: string): Act<Run, DecisionOptions & ResumeOptions> =>
    (id, { signal, call, step, data } = {}) =>
      connection.read({
        method: 'POST',
        path: `${path}/${encodeURIComponent(id)}/${action}`,
        ...([call, step, data].every((each) => each === undefined) ? {} : { body: { call, step, data } }),
        signal,
        integers,
        flat: connection.form.instance,
      });
  return { approve: act('approve'), reject: act('reject'), cancel: act('cancel'), resume: act('resume') };
}
