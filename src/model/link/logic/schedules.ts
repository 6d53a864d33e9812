// @schedule: events that are run by the clock.

import { isRequired } from '../../description.ts';
import type { TypeName } from '../../model.ts';
import { parseSchedule, scheduleForms } from '../../timers/schedule.ts';
import { type Marks, markSpan, markText } from '../annotations.ts';
import type { Linking } from '../scope.ts';
import type { Types } from '../types/types.ts';

/** `marks` are those of the event, or of its workflow. */
export function addSchedule(name: TypeName, marks: Marks, types: Types, { report }: Linking): void {
  const [text, span] = [markText(marks, 'schedule'), markSpan(marks, 'schedule')];
  const event = types.events.get(name);
  if (text === undefined || span === undefined) return;
  const needed = event?.attributes.find(isRequired);
  if (event === undefined)
    report.fault('annotation-misplaced', span, `\`${name}\` is made by the service alone: it has no times of its own`);
  else if (event.schedule !== undefined) report.fault('annotation-repeated', span, `it is said elsewhere when \`${event.local}\` is run`);
  else if (parseSchedule(text) === undefined)
    report.fault('schedule-invalid', span, `\`${text}\` is no schedule that ever comes`, `write ${scheduleForms}`);
  else if (needed !== undefined)
    report.fault('schedule-invalid', span, `\`${event.local}\` needs \`${needed.name}\`, which nobody gives it when its time has come`);
  else types.events.set(name, { ...event, schedule: text });
}
