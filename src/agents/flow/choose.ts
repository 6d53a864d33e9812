// Asks a model for one of several choices, and for nothing else: what a reply means, or which case fits.

import type { modelOf } from '../prompt.ts';
import { charge, checkBudget, type Run } from '../run.ts';
import { matchReply } from './match.ts';

export interface Question {
  readonly llm: ReturnType<typeof modelOf>;
  /** Whose replies are written down beforehand, and those that fit where none is. */
  readonly about: { readonly agent: string; readonly labels: readonly string[]; readonly message: string };
  readonly system: string;
  readonly text: string;
  readonly choices: readonly string[];
}

export const none = 'none';

/** The choice, absent where none of them is meant, and what asking cost. */
export async function choose({ llm, about, system, text, choices }: Question, run: Run) {
  checkBudget(run);
  await run.journal.flush();
  const reply = await run.models.reply(
    llm,
    {
      messages: [
        { role: 'system', text: system },
        { role: 'user', text },
      ],
      tools: [],
      temperature: 0,
      maxOutputTokens: run.settings.limits.output,
      schema: {
        type: 'object',
        properties: { label: { type: 'string', enum: [...choices, none] } },
        required: ['label'],
        additionalProperties: false,
      },
      about: { ...about, scenarios: [], turn: 0 },
    },
    run.signal,
  );
  charge(run, reply);
  const { model, inputTokens, outputTokens, cost } = reply;
  return { label: matchReply(reply.text, choices, run.settings.match)?.label, model, inputTokens, outputTokens, cost };
}
