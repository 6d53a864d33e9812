// From settings to language models: opened when the service starts, loaded when they are first asked.

import { mkdirSync, readFileSync } from 'node:fs';
import { StartRefused } from '../../store/store.ts';
import type { LanguageModel } from '../language-model.ts';
import type { AgentSettings, ModelSettings } from '../settings.ts';
import { recordingModel, replayedModel } from './recorded.ts';
import { readScript, ScriptInvalid, scriptedModel } from './scripted.ts';

/** Makes models; the file of replies is read once. */
export async function modelOpener({
  script,
  record,
  replay,
}: Pick<AgentSettings, 'script' | 'record' | 'replay'>): Promise<(settings: ModelSettings) => LanguageModel> {
  const entries = script === undefined ? [] : scriptIn(script);
  const { sdkModel } = await import('./ai-sdk.ts');
  if (record !== undefined) makeFolder(record);
  return (settings) => {
    const asked = settings.provider === 'scripted' ? scriptedModel(entries) : sdkModel(settings.provider, settings);
    const recorded = record === undefined ? asked : recordingModel(asked, record);
    return replay === undefined ? recorded : replayedModel(asked.name, replay, record === undefined ? undefined : recorded);
  };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (thrown) {
    throw new StartRefused('LLM_RECORD names a folder that cannot be made.', thrown);
  }
}

function scriptIn(file: string): ReturnType<typeof readScript> {
  try {
    return readScript(readFileSync(file, 'utf8'));
  } catch (thrown) {
    if (thrown instanceof ScriptInvalid) throw new StartRefused(`${thrown.message}.`, thrown);
    throw new StartRefused('llm.script names a file that cannot be read.', thrown);
  }
}
