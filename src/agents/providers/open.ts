// From settings to language models: opened when the service starts, loaded when they are first asked.

import { readFileSync } from 'node:fs';
import { StartRefused } from '../../store/store.ts';
import type { LanguageModel } from '../language-model.ts';
import type { AgentSettings, ModelSettings } from '../settings.ts';
import { readScript, ScriptInvalid, scriptedModel } from './scripted.ts';

/** Makes models; the file of replies is read once. */
export async function modelOpener({ script }: Pick<AgentSettings, 'script'>): Promise<(settings: ModelSettings) => LanguageModel> {
  const entries = script === undefined ? [] : scriptIn(script);
  const { sdkModel } = await import('./ai-sdk.ts');
  return (settings) => (settings.provider === 'scripted' ? scriptedModel(entries) : sdkModel(settings.provider, settings));
}

function scriptIn(file: string): ReturnType<typeof readScript> {
  try {
    return readScript(readFileSync(file, 'utf8'));
  } catch (thrown) {
    if (thrown instanceof ScriptInvalid) throw new StartRefused(`${thrown.message}.`, thrown);
    throw new StartRefused('llm.script names a file that cannot be read.', thrown);
  }
}
