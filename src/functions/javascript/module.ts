// What comes of loading a module of the project: what it exports, or why it cannot be had.

export type Module = Readonly<Record<string, unknown>>;

export class Unloaded {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}
