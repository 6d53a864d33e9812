// The types of a generated client that are the same for every model. Part of the generated file.

export type Integer = number | bigint;

/** What the generator says of one type of the model. */
export interface Shape {
  /** As it is read, without related instances. */
  readonly instance: object;
  readonly create: unknown;
  readonly update: object;
  readonly id: string | Integer | boolean;
  /** What `select` never leaves out. */
  readonly always: string;
  readonly where: object;
  readonly sort: string;
  readonly relations: Readonly<Record<string, Relation>>;
}

export interface Relation {
  readonly many: boolean;
  readonly target: Shape;
  /** What is sent to create or to link one at a nested path; `never` where there is no such path. */
  readonly body: unknown;
}

/** Equality, or comparisons that must all hold. */
export type Comparison<T> = T | Comparisons<T>;
export type Comparisons<T> = {
  readonly eq?: T;
  readonly ne?: T;
  readonly lt?: T;
  readonly lte?: T;
  readonly gt?: T;
  readonly gte?: T;
  readonly in?: readonly T[];
  readonly between?: readonly [T, T];
  readonly null?: boolean;
};
/** `%` stands for any text, `_` for one character. */
export type TextComparison<T> = T | (Comparisons<T> & { readonly like?: string; readonly ilike?: string });
export type Equality<T> = T | Pick<Comparisons<T>, 'eq' | 'ne' | 'in' | 'null'>;
export type ListComparison<T> = { readonly has?: T; readonly null?: boolean };
export type Presence = { readonly null?: boolean };

/** All of it holds; of `or`, one of its filters, each of which is about one attribute. */
export type Where<S extends Shape> = S['where'] & { readonly or?: readonly S['where'][] };

export type Order<S extends Shape> = { readonly [K in S['sort']]?: 'asc' | 'desc' };

export type Include<S extends Shape> = {
  readonly [R in keyof S['relations']]?: true | { readonly include: Include<S['relations'][R]['target']> };
};

/** The same as `I` where it names relationships alone, at every level. */
export type Checked<S extends Shape, I> = {
  readonly [R in keyof I]: R extends keyof S['relations']
    ? I[R] extends { readonly include: infer N }
      ? { readonly include: Checked<S['relations'][R]['target'], N> }
      : true
    : never;
};

export type Included<S extends Shape, I> = {
  readonly [R in keyof I & keyof S['relations']]: S['relations'][R]['many'] extends true
    ? readonly IncludedOne<S['relations'][R]['target'], I[R]>[]
    : IncludedOne<S['relations'][R]['target'], I[R]> | null;
};

type IncludedOne<S extends Shape, I> = I extends { readonly include: infer N } ? S['instance'] & Included<S, N> : S['instance'];

export type Found<S extends Shape, K, I> = Pick<S['instance'], (K | S['always']) & keyof S['instance']> & Included<S, I>;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /** As `versionOf` gave it: where the instance has another one by now, nothing is changed. */
  readonly version?: string;
}

export interface CreateOptions extends CallOptions {
  /** Creates with the same key are done once; without one the client makes its own. */
  readonly idempotencyKey?: string;
}

export interface Narrowing<S extends Shape, K extends keyof S['instance'], I> {
  readonly select?: readonly K[];
  readonly include?: I & Checked<S, I>;
}

export interface ListQuery<S extends Shape, K extends keyof S['instance'], I> extends Narrowing<S, K, I> {
  readonly where?: Where<S>;
  readonly orderBy?: readonly Order<S>[];
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** `next` of the list before. */
  readonly after?: string | undefined;
  /** Words that stand in the searched attributes. */
  readonly search?: string | undefined;
}

export interface List<T> extends ReadonlyArray<T> {
  /** Where the list goes on, where `limit` has cut it. */
  readonly next: string | undefined;
}

export interface WatchQuery<S extends Shape, K extends keyof S['instance'], I> extends Narrowing<S, K, I> {
  readonly where?: Where<S>;
  /** Whether the instances that are there come first. */
  readonly initial?: boolean;
}

/** What a stream tells. */
export type Change<T, Key> =
  /** It begins. Where it has to begin anew, what was told before is to be forgotten. */
  | { readonly kind: 'start' }
  | { readonly kind: 'present' | 'create' | 'update'; readonly instance: T }
  /** `gone` is what no longer fits or may no longer be read. */
  | { readonly kind: 'delete' | 'gone'; readonly instance: Key }
  /** From now on changes are told as they happen: also after the stream broke and was taken up again. */
  | { readonly kind: 'ready' };

export type ChangesOf<S extends Shape, K, I> = AsyncGenerator<
  Change<Found<S, K, I>, Pick<S['instance'], S['always'] & keyof S['instance']>>,
  void
>;

/** What an agent tells while it works. */
export type AgentProgress<Result> =
  | { readonly type: 'RUN_STARTED'; readonly runId: string }
  | { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string }
  | { readonly type: 'TEXT_MESSAGE_CONTENT'; readonly stepName: string; readonly delta: string }
  | {
      readonly type: 'TOOL_CALL_START';
      readonly stepName: string;
      readonly toolCallId: string;
      readonly toolCallName: string;
      readonly arguments: unknown;
    }
  | { readonly type: 'TOOL_CALL_RESULT'; readonly stepName: string; readonly toolCallId: string; readonly content: unknown }
  | { readonly type: 'RUN_FINISHED'; readonly runId: string; readonly status: 'succeeded'; readonly result: Result };

export interface Readable<S extends Shape> {
  get<const I = unknown, const K extends keyof S['instance'] = keyof S['instance']>(
    id: S['id'],
    query?: Narrowing<S, K, I>,
    options?: CallOptions,
  ): Promise<Found<S, K, I>>;
  list<const I = unknown, const K extends keyof S['instance'] = keyof S['instance']>(
    query?: ListQuery<S, K, I>,
    options?: CallOptions,
  ): Promise<List<Found<S, K, I>>>;
  count(where?: Where<S>, options?: CallOptions): Promise<number>;
  update(id: S['id'], changes: S['update'], options?: WriteOptions): Promise<S['instance']>;
  delete(id: S['id'], options?: WriteOptions): Promise<void>;
  /** Changes as they happen, of those that fit or of one; streams that break are taken up again. */
  watch<const I = unknown, const K extends keyof S['instance'] = keyof S['instance']>(
    query?: WatchQuery<S, K, I>,
    options?: CallOptions,
  ): ChangesOf<S, K, I>;
  watch<const I = unknown, const K extends keyof S['instance'] = keyof S['instance']>(
    id: S['id'],
    query?: Omit<WatchQuery<S, K, I>, 'where'>,
    options?: CallOptions,
  ): ChangesOf<S, K, I>;
  /** What stands in one instance, or is linked with it. */
  at(id: S['id']): Nested<S>;
}

export interface Creatable<S extends Shape, Body> {
  create(instance: Body, options?: CreateOptions): Promise<S['instance']>;
  create(instances: readonly Body[], options?: CreateOptions): Promise<readonly S['instance'][]>;
}

export type Collection<S extends Shape> = Readable<S> & Creatable<S, S['create']>;

export type Nested<S extends Shape> = {
  readonly [R in keyof S['relations'] as S['relations'][R]['body'] extends never ? never : R]: Readable<S['relations'][R]['target']> &
    Creatable<S['relations'][R]['target'], S['relations'][R]['body']>;
};

export interface Tokens {
  readonly idToken: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface NewAccount extends Credentials {
  readonly name?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly userData?: Readonly<Record<string, unknown>>;
}

export interface Auth {
  signup(account: NewAccount, options?: CallOptions): Promise<unknown>;
  confirmSignup(confirmation: { readonly email: string; readonly confirmationCode: string }, options?: CallOptions): Promise<void>;
  /** From then on calls are made as this user. */
  login(credentials: Credentials, options?: CallOptions): Promise<Tokens>;
  /** The code that a sign-in by another service gave, for tokens; calls are made as this user. */
  exchange(exchange: { readonly code: string; readonly verifier: string }, options?: CallOptions): Promise<Tokens>;
  logout(options?: CallOptions): Promise<void>;
  refresh(options?: CallOptions): Promise<Tokens>;
  forgotPassword(account: { readonly email: string }, options?: CallOptions): Promise<void>;
  confirmForgotPassword(
    reset: { readonly email: string; readonly confirmationCode: string; readonly newPassword: string },
    options?: CallOptions,
  ): Promise<void>;
  resendConfirmationCode(account: { readonly email: string }, options?: CallOptions): Promise<void>;
  changePassword(change: { readonly password: string; readonly newPassword: string }, options?: CallOptions): Promise<void>;
  /** A key that other programs call with, as this user or with some of their roles; it is shown only once. */
  createApiKey(
    key: { readonly name: string; readonly roles?: readonly string[]; readonly expires?: string },
    options?: CallOptions,
  ): Promise<{ readonly id: string; readonly name: string; readonly owner: string; readonly key: string; readonly expires: string | null }>;
  me(options?: CallOptions): Promise<{ readonly email: string; readonly name: string | null; readonly roles: readonly string[] }>;
}

export interface ClientOptions<Big extends boolean = boolean> {
  /** Where the service is: `https://shop.example.com`. */
  readonly baseUrl: string;
  readonly fetch?: typeof globalThis.fetch;
  /** Of an earlier login, or an API key as `idToken`. */
  readonly tokens?: Partial<Tokens>;
  /** Told of tokens that are to be kept; of none after a logout, and where they are refused. */
  readonly onTokens?: (tokens: Tokens | undefined) => void;
  /** `Int` attributes are `bigint`; otherwise one beyond 2^53 is an error. */
  readonly bigints?: Big;
}

export type IntegerOf<Big extends boolean> = Big extends true ? bigint : number;
