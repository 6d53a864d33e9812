// What is written down of one part of a workflow: for the run that goes on from it, and for those who look at the run.

import { userOf } from '../../engine/caller.ts';
import type { AskingFlow } from '../../engine/flow/parts/checkpoint.ts';
import type { Context } from '../../engine/operation.ts';
import { error } from '../../errors.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import type { KeptPart } from '../run.ts';
import { keepable } from '../tools/call.ts';

/** Characters of what a part may leave behind, and of what is shown of its names. */
const limits = { kept: 4 * 1024 * 1024, shown: 64 * 1024 } as const;

export function contentOf({ asks, ...others }: KeptPart): string {
  const content = JSON.stringify({ ...others, ...(asks === undefined ? {} : { asks: JSON.parse(writeJson({ ...asks })) }) });
  if (content.length > limits.kept)
    throw error('dataflow-limit', {
      detail: `A workflow that asks agents, or is suspended, may hold ${limits.kept} characters between its parts.`,
    });
  return content;
}

export function partIn(content: string): KeptPart {
  const { entries, asks, suspended, asked }: KeptPart = JSON.parse(content);
  return { entries, asks, suspended, asked };
}

/** Who may look at a run: its user, but where it shows what the system has read. */
export function readerOf({ isSystem }: Pick<AskingFlow, 'isSystem'>, { caller }: Pick<Context, 'caller'>): string | undefined {
  return isSystem === true ? undefined : userOf(caller);
}

/** What the names of a part stand for, as far as there is room. */
export function shown(names: Values): Values {
  let room: number = limits.shown;
  const kept = Object.entries(names).map(([name, value]): [string, Value] => {
    room -= writeJson(value).length;
    return [name, room < 0 ? '[left out]' : keepable(value)];
  });
  return Object.fromEntries(kept);
}
