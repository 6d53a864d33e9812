// How a surface writes what a generated client sends, and what it answers. Part of the generated file.

export type Flat = ((value: unknown) => unknown) | undefined;

/** A body, and where it is sent. */
export interface Sent {
  readonly path: string;
  readonly body: unknown;
  readonly flat?: Flat;
}

export interface Form {
  /** Of one instance in a create. */
  create(type: string, body: unknown): unknown;
  update(body: unknown): unknown;
  call(name: string, input: unknown): unknown;
  /** Where an event of identity is sent. */
  identity(name: string, body: object): Sent;
  /** What an answer means, as flat values. */
  readonly created: Flat;
  readonly instance: Flat;
  readonly list: Flat;
  readonly change: Flat;
  /** What an event gives; `isSingle` where it cannot be a list. */
  result(isSingle: boolean): Flat;
}
