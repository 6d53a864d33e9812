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
  // They are told in the order in which they ended: a step that holds others comes before them here.
  return [...steps]
    .map((step, at) => ({ step, at }))
    .sort((a, b) => a.step.start - b.step.start || b.step.milliseconds - a.step.milliseconds || a.at - b.at)
    .map(({ step }) => step);
}
