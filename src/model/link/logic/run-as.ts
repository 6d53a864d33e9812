// @runAs: with whose rights a workflow runs.

import type { RunAs, TypeName } from '../../model.ts';
import { type Marks, markNames, markSpan } from '../annotations.ts';
import type { Linking } from '../scope.ts';
import type { Types } from '../types/types.ts';

const known: readonly RunAs[] = ['system', 'caller'];

export function linkRunAs(marks: Marks, { report }: Linking): RunAs | undefined {
  const [name] = markNames(marks, 'runAs') ?? [];
  if (name === undefined) return undefined;
  const found = known.find((each) => each === name.text);
  if (found !== undefined) return found;
  const message = `a workflow runs as the \`system\` or as its \`caller\`, and as nobody else`;
  report.unknown('run-as-unknown', name.span, message, name.text, known);
  return undefined;
}

/** `marks` are those of the event, or of its workflow. */
export function addRunAs(name: TypeName, marks: Marks, types: Types, linking: Linking): void {
  const { report } = linking;
  const [event, span, runAs] = [types.events.get(name), markSpan(marks, 'runAs'), linkRunAs(marks, linking)];
  if (span === undefined || runAs === undefined) return;
  if (event === undefined) report.fault('annotation-misplaced', span, `\`${name}\` is made by the service alone, and runs as the system`);
  else if (event.runAs !== undefined) report.fault('annotation-repeated', span, `it is said elsewhere as whom \`${event.local}\` runs`);
  else types.events.set(name, { ...event, runAs });
}
