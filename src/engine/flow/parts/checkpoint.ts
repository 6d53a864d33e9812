// What is written down of a flow that is done in parts, so that it can go on in another process: plain JSON.

import type { ErrorCode, ErrorDetails } from '../../../errors.ts';
import type { ColumnKind } from '../../../model/types/attribute-type.ts';
import type { Value, Values } from '../../../values/value.ts';
import type { Result } from '../../operation.ts';

/** Plain JSON. Objects are lists of entries, so that nothing that a user wrote can be taken for anything else. */
export type Kept =
  | string
  | number
  | boolean
  | null
  | readonly Kept[]
  | { readonly integer: string }
  | { readonly exact: string }
  | { readonly double: string }
  | { readonly fields: readonly (readonly [string, Kept])[]; readonly origin?: KeptOrigin };

export type KeptOrigin =
  | {
      readonly kind: 'instance';
      readonly type: string;
      readonly key: Kept;
      readonly id: Kept;
      readonly path?: string | undefined;
      readonly row?: KeptRow | undefined;
      readonly nested: readonly { readonly name: string; readonly relationship: string }[];
    }
  | { readonly kind: 'record' | 'event'; readonly type: string };

export interface KeptRow {
  readonly json: string;
  readonly columns: readonly Kept[];
}

/** What a name stands for, or a statement gave. */
export interface KeptBinding {
  readonly type?: string | undefined;
  readonly row?: KeptRow | undefined;
  readonly rows?: readonly KeptRow[] | undefined;
  readonly value?: Kept | undefined;
  readonly created?: boolean | undefined;
  readonly declared?: ColumnKind | readonly (readonly [string, ColumnKind])[] | undefined;
}

/** What was done, in its order: plain JSON. */
export type Entry =
  /** A statement, and the names that it gave besides. */
  | { readonly kind: 'done'; readonly done: KeptBinding; readonly names: readonly (readonly [string, KeptBinding | null])[] }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly details: ErrorDetails }
  /** Which of several ways was taken. */
  | { readonly kind: 'chose'; readonly way: number }
  | { readonly kind: 'answer'; readonly value: Kept };

/** The statement at which a workflow waits for data. */
export interface SuspendedStep {
  /** The event or entity whose resolver has suspended. */
  readonly type: string;
  /** What the data goes by afterwards, besides the name that the statement gives it. */
  readonly names: readonly string[];
}

/** A flow and what it is given, as it is kept: plain JSON. */
export interface AskingFlow {
  /** The event whose workflow it is, or the trigger. */
  readonly name: string;
  /** Of several triggers of one name, which. */
  readonly index?: number | undefined;
  readonly names: readonly (readonly [string, KeptBinding])[];
  /** Whether instances that it is given are read anew when it begins: it begins after the transaction that gave them. */
  readonly isLate?: boolean | undefined;
  /** Whether it is run by logic, or an agent whose tools name it: then nobody is asked whether they may. */
  readonly isGranted?: boolean | undefined;
  /** Whether it runs as the system: what it reads is then shown to nobody but admins. */
  readonly isSystem?: boolean | undefined;
  /** Whether some of what it is given may not be written down: then it cannot go on in another process. */
  readonly isSecret?: boolean | undefined;
}

export type PartResult = {
  /** What this part has done. */
  readonly entries: readonly Entry[];
  /** What its names stand for, as answers show values. */
  readonly names: Values;
} & (
  | {
      readonly kind: 'asks';
      readonly agent: string;
      readonly values: Values;
      /** What a name, or an attribute of what it stands for, is where the agent is asked. */
      named(text: string): Value | undefined;
    }
  | { readonly kind: 'suspended'; readonly at: SuspendedStep }
  | {
      readonly kind: 'done';
      readonly result: Extract<Result, { kind: 'outcome' }>;
      /** The result as it is kept. */
      kept(): KeptBinding;
    }
);
