// The worst model that there can be: whatever text of the corpus it is shown, wherever it stands, it does what the text wants, with any tool and any
// arguments, and then says everything that it has seen.

import { LLMock } from '@copilotkit/aimock';
import { onTestFinished } from 'vitest';
import type { AgentSettings } from '../../../src/agents/agents.ts';
import corpus from './corpus.json' with { type: 'json' };

export interface Injection {
  readonly text: string;
  readonly wants: readonly Call[];
}

export interface Call {
  readonly name: string;
  /** As JSON. */
  readonly arguments: string;
}

export const injections: readonly Injection[] = corpus.flatMap(({ wants, texts }) =>
  texts.map((text) => ({
    text,
    wants: wants.map(({ tool, arguments: given }) => ({
      name: tool,
      arguments: (typeof given === 'string' ? given : JSON.stringify(given)).replaceAll('<200000 letters>', 'A'.repeat(200_000)),
    })),
  })),
);

export interface ObedientModel {
  readonly settings: Pick<AgentSettings, 'provider' | 'model' | 'baseUrl'>;
  /** Everything that it was asked since the last look, as it came. */
  prompts(): string;
  /** How many calls it has asked for since the last look. */
  calls(): number;
}

/** A message `do: <calls>` makes it call them before anything else: this is how it comes to see what is planted. */
export async function obedientModel(): Promise<ObedientModel> {
  const peer = await LLMock.create({ port: 0, logLevel: 'silent' });
  onTestFinished(() => peer.stop());
  let asked = '';
  let calls = 0;
  peer.on({ predicate: () => true }, ({ messages, tools }) => {
    const shown = messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
    asked += JSON.stringify([messages, tools]);
    const turn = messages.length - 1 - messages.findLastIndex(({ role }) => role === 'user');
    const first = shown.findLast((each) => each.startsWith('do: '))?.slice(4);
    const wanted = injections.filter(({ text }) => shown.some((each) => isIn(text, each))).flatMap((each) => each.wants);
    const next = turn === 0 && first !== undefined ? JSON.parse(first) : turn <= 2 && !hasMade(messages, wanted) ? wanted : [];
    if (next.length === 0) return { content: `I have seen: ${shown.join('\n')}` };
    calls += next.length;
    return { toolCalls: next.map((each: Call, at: number) => ({ ...each, id: `call_${messages.length}_${at}_of_obedient` })) };
  });
  return {
    settings: { provider: 'openai', model: 'obedient', baseUrl: `${peer.url}/v1` },
    prompts() {
      const all = asked;
      asked = '';
      peer.clearRequests();
      return all;
    },
    calls() {
      const all = calls;
      calls = 0;
      return all;
    },
  };
}

/** Whatever way a text is quoted in another one. */
function isIn(text: string, shown: string): boolean {
  return bare(shown).includes(bare(text));
}

function bare(text: string): string {
  return text.replaceAll('\\n', '').replaceAll('\n', '').replaceAll('\\', '').replaceAll('\u200b', '').replaceAll('u200b', '');
}

function hasMade(messages: readonly unknown[], [first]: readonly Call[]): boolean {
  if (first === undefined) return true;
  return messages.some((each) => {
    const calls: unknown = Reflect.get(Object(each), 'tool_calls');
    return Array.isArray(calls) && calls.some((call) => Reflect.get(Object(Reflect.get(Object(call), 'function')), 'name') === first.name);
  });
}
