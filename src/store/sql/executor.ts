// Who runs SQL that no shape stands for: migrations, the log of changes, and what operators ask of the tables.

/** One connection that nobody else uses meanwhile. Parameters are numbered from 1, as `Dialect.parameter` spells them. */
export interface Executor {
  /** How many rows it touched; 0 for statements that touch none. */
  run(sql: string, parameters?: readonly unknown[]): number | Promise<number>;
  /** Texts, numbers (bigint where they are large), truth values and nulls; what `Dialect.object` makes comes as text. */
  rows(sql: string, parameters?: readonly unknown[]): readonly ExecutorRow[] | Promise<readonly ExecutorRow[]>;
}

export type ExecutorRow = Readonly<Record<string, unknown>>;
