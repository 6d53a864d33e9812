// Who thinks: the agents of a model as handlers of what is posted to them. Loaded only where a model has agents.

import type { Clock } from '../clock.ts';
import type { EventHandlers } from '../engine/handlers.ts';
import type { Model } from '../model/model.ts';
import { answer } from './handler.ts';
import type { ModelFailure } from './language-model.ts';
import { openModels } from './models.ts';
import { modelOpener } from './providers/open.ts';
import type { AgentSettings } from './settings.ts';

export type { AgentSettings };

export interface AgentsParts {
  readonly settings: AgentSettings;
  readonly clock: Clock;
  readonly log: {
    warn(line: string): void;
    /** An attempt at a language model that gave no reply. */
    failed(failure: ModelFailure, model: string): void;
  };
}

export interface Agents {
  /** One for each agent of the model. */
  handlers(model: Model): EventHandlers;
}

export async function createAgents({ settings, clock, log }: AgentsParts): Promise<Agents> {
  const open = await modelOpener(settings);
  const models = openModels({ settings, clock, open, sleep, failed: log.failed });
  return {
    handlers: (model) =>
      new Map(
        [...model.agents.values()].map((agent) => [
          agent.name,
          { transaction: 'own', waits: true, reply: (event, context) => answer(agent, event, context, { settings, models }) },
        ]),
      ),
  };
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
  });
}
