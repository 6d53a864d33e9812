// The errors of a generated client: one class for each status. Part of the generated file.

export interface Fault {
  readonly attribute: string;
  readonly code: string;
  readonly message: string;
}

/** What a service says of a failure. */
interface Problem {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly errors: readonly Fault[];
  /** Seconds. */
  readonly retryAfter: number | undefined;
}

export class PlatformError extends Error {
  readonly status: number;
  /** Of the table of errors of the service; `unreachable` where there was no answer. */
  readonly code: string;
  /** Every attribute that does not fit. */
  readonly errors: readonly Fault[];
  readonly retryAfter: number | undefined;

  constructor({ status, code, message, errors, retryAfter }: Problem, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    [this.status, this.code, this.errors, this.retryAfter] = [status, code, errors, retryAfter];
  }
}

export class BadRequestError extends PlatformError {}
export class UnauthorizedError extends PlatformError {}
export class ForbiddenError extends PlatformError {}
export class NotFoundError extends PlatformError {}
export class MethodNotAllowedError extends PlatformError {}
export class ConflictError extends PlatformError {}
/** What was asked for is no longer kept: a stream cannot be resumed from so far back. */
export class GoneError extends PlatformError {}
export class PreconditionFailedError extends PlatformError {}
export class TooLargeError extends PlatformError {}
export class InvalidError extends PlatformError {}
export class TooManyRequestsError extends PlatformError {}
export class InternalError extends PlatformError {}
export class BadGatewayError extends PlatformError {}
export class UnavailableError extends PlatformError {}
export class TimeoutError extends PlatformError {}
export class InsufficientStorageError extends PlatformError {}
/** A call of a tool, of which somebody has to approve; `step` and `call` tell which one it is. */
interface WaitedCall {
  readonly step: number;
  readonly call: string;
  readonly tool: string;
  readonly arguments: unknown;
}

/** Data: a resolver has suspended what was done with something of this type. */
interface WaitedData {
  readonly step: number;
  readonly type: string;
}

/** An agent waits until somebody approves of what it is about to do, or a workflow until somebody has data for it. */
export class WaitingError extends PlatformError {
  /** The run, to be approved of or rejected, or to be resumed with data. */
  readonly run: string;
  /** `'call' in waitingFor` tells them apart. */
  readonly waitingFor: WaitedCall | WaitedData;

  constructor(run: string, waitingFor: WaitedCall | WaitedData) {
    const what = 'call' in waitingFor ? 'approval' : 'data';
    super({ status: 202, code: 'waiting', message: `the run ${run} waits for ${what}`, errors: [], retryAfter: undefined });
    [this.run, this.waitingFor] = [run, waitingFor];
  }
}
/** There was no answer. */
export class UnreachableError extends PlatformError {}

const classes: Readonly<Record<number, typeof PlatformError>> = {
  0: UnreachableError,
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  409: ConflictError,
  410: GoneError,
  412: PreconditionFailedError,
  413: TooLargeError,
  422: InvalidError,
  429: TooManyRequestsError,
  500: InternalError,
  502: BadGatewayError,
  503: UnavailableError,
  504: TimeoutError,
  507: InsufficientStorageError,
};

export function failure(problem: Problem, cause?: unknown): PlatformError {
  const Class = classes[problem.status] ?? PlatformError;
  return new Class(problem, cause === undefined ? {} : { cause });
}

/** The error that an answer stands for. */
export async function failureOf(answer: Response): Promise<PlatformError> {
  const text = await answer.text();
  const seconds = Number(answer.headers.get('retry-after') ?? 'none');
  const base = { status: answer.status, retryAfter: Number.isFinite(seconds) ? seconds : undefined };
  try {
    return problemError(JSON.parse(text), base);
  } catch (thrown) {
    // A proxy on the way may answer in a form of its own.
    return failure({ ...base, code: 'unknown', message: `the answer was ${answer.status}`, errors: [] }, thrown);
  }
}

interface SaidProblem {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly message?: string;
  readonly errors?: readonly Fault[];
}

/** A problem, or an envelope with one. */
export function problemError(
  said: SaidProblem | readonly SaidProblem[] | null,
  base: { readonly status: number; readonly retryAfter: number | undefined },
): PlatformError {
  const [problem] = [said ?? {}].flat();
  const { code = 'unknown', title = '', message: text = title, detail = text, errors = [] } = problem ?? {};
  const faults = errors.map(({ attribute, message }) => `${attribute} ${message}`).join('; ');
  return failure({ ...base, code, message: faults === '' ? detail : `${detail} ${faults}`, errors });
}
