// The times of the steps behind an answer, as `Server-Timing` tells them: `find-12;dur=3;start=0`.

export interface TracedStep {
  /** What it does: create, find, call … */
  readonly kind: string;
  /** Where it stands in its file. */
  readonly line: number;
  /** Milliseconds since the first of them began. */
  readonly start: number;
  readonly milliseconds: number;
}

export function tracedSteps(header: string | null): readonly TracedStep[] {
  if (header === null) return [];
  const steps = header.split(',').flatMap((part): readonly TracedStep[] => {
    const [name = '', ...fields] = part.split(';').map((each) => each.trim());
    const [, kind, line] = /^(.+)-(\d+)$/.exec(name) ?? [];
    if (kind === undefined) return [];
    const values = new Map(fields.map((each) => each.split('=')).map(([field = '', value]) => [field, Number(value)]));
    return [{ kind, line: Number(line), start: values.get('start') ?? 0, milliseconds: values.get('dur') ?? 0 }];
  });
  // They are told in the order in which they ended, in whole milliseconds: of those that began in the same one, and of a step and what it holds, the one that is written first comes first.
  return steps.toSorted((a, b) => a.start - b.start || a.line - b.line || b.milliseconds - a.milliseconds);
}
