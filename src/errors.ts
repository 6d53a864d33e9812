// The one table of what can go wrong with a request, and the error that carries a code from it. Nothing of HTTP in it.

/** Every code with the sentence a caller reads when the thrower has nothing more precise to say. */
export const errorCodes = {
  'request-unreadable': 'The request cannot be read.',
  'body-unreadable': 'The body cannot be read.',
  'body-invalid': 'The body must be an object of attributes.',
  'code-invalid': 'The code is wrong, used or expired.',
  unauthenticated: 'You have to sign in.',
  'credentials-invalid': 'These credentials are not valid.',
  'access-denied': 'You may not do this.',
  'attribute-denied': 'You may not set this attribute, or ask for it.',
  'path-unknown': 'There is nothing at this path.',
  'instance-not-found': 'There is no such instance.',
  'method-not-allowed': 'This path does not take this method.',
  duplicate: 'There is already an instance with this value.',
  'instance-referenced': 'Other instances refer to this one.',
  'identifier-ambiguous': 'Several instances have this identifier; address one under its parent.',
  'request-in-progress': 'A request with this Idempotency-Key is still running.',
  'run-state': 'The run is not in a state in which this can be done.',
  'cursor-expired': 'The changes behind this cursor are not kept any more, or it is one of another stream; begin anew.',
  'version-mismatch': 'The instance has changed since it was read.',
  'body-too-large': 'The body is too large.',
  'url-too-long': 'The URL is too long.',
  'headers-too-large': 'The headers are too large.',
  'media-type-unsupported': 'The body must be application/json or application/transit+json.',
  'attributes-invalid': 'Some attributes do not fit.',
  'query-invalid': 'Some query parameters do not fit.',
  'parent-required': 'An instance of this type is created under its parent.',
  'key-reused': 'This Idempotency-Key was used with another body.',
  'tree-too-large': 'The tree is deeper or larger than a tree read may be.',
  'include-too-large': 'An instance with what it includes is larger than a request may hold.',
  'limit-exceeded': 'Something is larger, or has more parts, than it may.',
  'dataflow-failed': 'The logic of the model has refused this.',
  'dataflow-limit': 'The logic of the model took too long, too many steps, or too much memory.',
  'agent-message-invalid': 'An agent is sent an object with the text "message".',
  'agent-turn-limit': 'The agent came to no answer.',
  'flow-step-limit': 'The flow came to no end.',
  'flow-step-input': 'A step of the flow lacks what it needs.',
  'llm-input-too-long': 'This is more than the language model can read at once.',
  'llm-budget': 'The tokens for this are used up.',
  'too-many-requests': 'Too many requests; try again later.',
  'function-failed': 'A function of the application has a fault.',
  internal: 'Something went wrong inside the service.',
  'not-available': 'This part of the model has no behaviour in this version.',
  'coding-unsupported': 'The only transfer coding of a body is chunked.',
  'version-unsupported': 'This server speaks HTTP/1.1 and HTTP/1.0.',
  'store-failed': 'The store could not be read or written.',
  'store-busy': 'The store is busy; try again.',
  'model-outdated': 'The data belongs to a newer model than this process serves; try again.',
  'store-full': 'There is no space left to store this.',
  'service-busy': 'The service is busy; try again.',
  'service-stopping': 'The service is stopping.',
  'identity-unavailable': 'The service that knows the users cannot be reached; try again.',
  'llm-auth-rejected': 'The language model does not accept the key of this service.',
  'llm-unavailable': 'The language model gave no answer that can be used.',
  'llm-invalid': 'The language model gave no reply that fits.',
  'llm-empty': 'The language model answered with nothing.',
  'llm-not-configured': 'Set LLM_API_KEY before the service starts.',
  'llm-busy': 'The language model has too much to do; try again.',
  'llm-suspended': 'The language model failed several times in a row and is left alone for a while.',
  'llm-timeout': 'The language model took too long.',
  'request-timeout': 'The request took too long.',
  'resolver-refused': 'The system that keeps this has refused it.',
  'resolver-failed': 'The system that keeps this has failed.',
  'resolver-answer-invalid': 'The system that keeps this has answered something that does not fit.',
  'resolver-answer-too-large': 'The system that keeps this has answered more than a request may hold.',
  'resolver-unavailable': 'The system that keeps this has failed several times; try again later.',
  'suspension-refused': 'A resolver has suspended where nothing can wait.',
  'resolver-timeout': 'The system that keeps this has not answered in time.',
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** What is wrong with one attribute, named by its path: `title`, `address.city`, `PostComment[0].content`. */
export interface Fault {
  readonly attribute: string;
  readonly code: FaultCode;
  readonly message: string;
}

export type FaultCode =
  | 'required'
  | 'unknown'
  | 'type'
  | 'value'
  | 'readonly'
  | 'computed'
  | 'system'
  | 'check'
  | 'reference'
  | 'operator'
  | 'limit';

export interface ErrorDetails {
  readonly detail?: string;
  readonly errors?: readonly Fault[];
  /** How many faults there are, where they are more than are listed. */
  readonly errorCount?: number;
  /** The methods a path takes, with `method-not-allowed`. */
  readonly allow?: readonly string[];
  /** What the step of a workflow does that failed: `create shop/Order`. */
  readonly pattern?: string;
  /** What the model's own handler says about a failure, as JSON, with `dataflow-failed`. */
  readonly result?: string;
  /** How the model's own handler wants the failure answered. */
  readonly response?: { readonly status: number };
  /** What was wrong with the bearer token, with `unauthenticated`. */
  readonly challenge?: 'invalid_token';
  /** With `access-denied`, for admins alone: each way in which it could have been allowed, and why it was not. */
  readonly explanation?: readonly string[];
  /** With `attribute-denied`: which one, as it was named. */
  readonly attribute?: string;
  /** Seconds until trying again makes sense. */
  readonly retryAfter?: number;
  /** The run of an agent in which it happened. */
  readonly runId?: string;
  /** The step of a flow in which it happened. */
  readonly step?: string;
}

/** An expected failure of a request: `details` goes out, `cause` goes only to the log. */
export class PlatformError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly origin: ErrorOrigin;

  constructor(code: ErrorCode, details: ErrorDetails = {}, cause?: unknown, origin: ErrorOrigin = unknownOrigin) {
    super(details.detail ?? errorCodes[code], cause === undefined ? undefined : { cause });
    this.name = 'PlatformError';
    this.code = code;
    this.details = details;
    this.origin = origin;
  }

  get again(): boolean {
    return this.origin.again === true;
  }

  /** The same, where it is known that it came of another request in between. */
  asRace(): PlatformError {
    return new PlatformError(this.code, this.details, this.cause, { ...this.origin, again: true });
  }
}

/** How a failure came about, for the service itself. */
export interface ErrorOrigin {
  /** Two requests got in each other's way: the same one, done again from its start, may be answered otherwise. */
  readonly again?: boolean;
  /** The tables whose rows the failed transaction locked, in the order in which it came to them. */
  readonly tables?: readonly string[];
  /** The columns whose values must differ, with `duplicate`. */
  readonly columns?: readonly string[];
  /** With `duplicate`: the transaction had looked into the table, and may not have seen what is there by now. */
  readonly unseen?: boolean;
  /** With `access-denied` and `attribute-denied`: what was not allowed. */
  readonly denial?: Denial;
  /** There was no room in memory for so many bytes: the same request, done again from its start when there is, may be answered. */
  readonly bytes?: number;
}

/** What a caller may not do with instances of a type, or with the one that has this key. */
export interface Denial {
  readonly action: string;
  readonly type: string;
  readonly key?: string | number | bigint;
}

/** A refusal that says what it is about, to the service alone. */
export function accessDenied(denial: Denial, detail?: string): PlatformError {
  return new PlatformError('access-denied', detail === undefined ? {} : { detail }, undefined, { denial });
}

/** An attribute that the caller may not set or, with `read`, not ask for. */
export function attributeDenied(action: 'create' | 'update' | 'read', type: string, attribute: string): PlatformError {
  const detail = action === 'read' ? `You may not ask for "${attribute}".` : `You may not set "${attribute}".`;
  return new PlatformError('attribute-denied', { detail, attribute }, undefined, { denial: { action, type } });
}

/** Whether the caller may not do what was asked. */
export function isDenied(thrown: unknown): thrown is PlatformError {
  return isError(thrown, 'access-denied') || isError(thrown, 'attribute-denied');
}

/** What the audit trail holds is written by the audit trail alone, whoever asks. */
export function entriesOnlyRead(): PlatformError {
  return error('method-not-allowed', { detail: 'Entries of the audit trail are only read.', allow: ['GET', 'HEAD', 'OPTIONS'] });
}

const unknownOrigin: ErrorOrigin = Object.freeze({});

export function error(code: ErrorCode, details?: ErrorDetails, cause?: unknown): PlatformError {
  return new PlatformError(code, details, cause);
}

export function isError(thrown: unknown, code: ErrorCode): thrown is PlatformError {
  return thrown instanceof PlatformError && thrown.code === code;
}

/** So many faults are listed; the others are counted. */
export const mostFaults = 100;
/** After so many, nothing more is looked at. */
const mostCounted = 10_000;

/** Faults of what may have any number of them: only those that are listed are kept. */
export class FaultList extends Array<Fault> {
  #others = 0;

  /** What is made from a list is an ordinary one. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  get count(): number {
    return this.length + this.#others;
  }

  override push(...faults: Fault[]): number {
    for (const each of faults) {
      if (this.length < mostFaults) super.push(each);
      else this.#others += 1;
    }
    if (this.count >= mostCounted) throw invalid(this);
    return this.length;
  }

  /** `isFault` leaves out some of those that are listed. */
  addAll(other: FaultList, isFault: (fault: Fault) => boolean = () => true): void {
    this.#others += other.#others;
    this.push(...other.filter(isFault));
  }
}

export function countOfFaults(faults: readonly Fault[]): number {
  return faults instanceof FaultList ? faults.count : faults.length;
}

/** Several faults at once: a caller sees all of them, or the first and how many there are. */
export function invalid(faults: readonly Fault[]): PlatformError {
  return new PlatformError('attributes-invalid', faultDetails(faults));
}

export function faultDetails(faults: readonly Fault[]): ErrorDetails {
  const count = countOfFaults(faults);
  return count > mostFaults ? { errors: faults.slice(0, mostFaults), errorCount: count } : { errors: faults };
}

/** The end of an exhaustive switch: a new case makes the compiler point here. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
