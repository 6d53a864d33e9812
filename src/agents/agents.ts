// Who thinks: the agents of a model as handlers of what is posted to them. Loaded only where a model has agents.

import type { Clock } from '../clock.ts';
import type { Caller } from '../engine/caller.ts';
import type { Engine } from '../engine/engine.ts';
import type { AskingFlows, EventHandlers } from '../engine/handlers.ts';
import type { RequestInfo, Result } from '../engine/operation.ts';
import type { Model, TypeName } from '../model/model.ts';
import { StartRefused } from '../store/store.ts';
import { actOn, type CallNamed, type RunAction, type RunNamed, runActions } from './actions.ts';
import { ActiveRuns } from './active.ts';
import { keepDocuments } from './documents/documents.ts';
import type { AgentParts } from './execution.ts';
import { answer, answerWorkflow } from './handler.ts';
import type { ModelFailure } from './language-model.ts';
import { openModels } from './models.ts';
import { modelOf } from './prompt.ts';
import { modelOpener } from './providers/open.ts';
import { type Rehearsed, rehearse } from './rehearsal.ts';
import type { Tracer } from './run.ts';
import { type AgentFigures, Figures } from './runs/figures.ts';
import type { AgentSettings } from './settings.ts';
import { type Sweeper, startSweeper } from './sweeper.ts';
import { queueRun } from './workflow/queue.ts';
import { suspendRun } from './workflow/suspend.ts';
import { runWorkflow } from './workflow/workflow.ts';

export type { AgentSettings, Rehearsed };

export interface AgentsParts {
  readonly settings: AgentSettings;
  /** Of the project: where its documents are. */
  readonly folder: string;
  readonly clock: Clock;
  readonly isShared: boolean;
  /** Queued runs that are worked on at the same time. */
  readonly workers: number;
  readonly log: {
    /** Agents whose language model cannot be asked: everything else works without. */
    unready(agents: readonly TypeName[]): void;
    /** An attempt at a language model that gave no reply. */
    noReply(failure: ModelFailure, model: string): void;
    /** A document that cannot be read: agents go on with what is kept of it. */
    unreadable(title: string, thrown: unknown): void;
    failed(thrown: unknown, what: string): void;
  };
}

export interface Agents {
  /** One for each agent of the model. */
  handlers(model: Model): EventHandlers;
  /** Does workflows that ask agents. */
  readonly flows: AskingFlows;
  /** Runs that were left are taken up from now on. */
  start(engine: Engine): Promise<void>;
  readonly actions: readonly string[];
  act(run: RunNamed, action: string, named: CallNamed, caller: Caller, request: RequestInfo): Promise<Result>;
  figures(): AgentFigures;
  /** Which language models there are is known from here on: whether every agent has a language model that can be asked; where that is required, nothing starts without. */
  checkModels(model: Model, isRequired: boolean): 'configured' | 'unconfigured';
  /** Tries what an agent answers in one of its scenarios. */
  rehearse(agent: TypeName, scenario: number): Promise<Rehearsed>;
  close(): Promise<void>;
}

export async function createAgents({ settings, folder, clock, isShared, workers, log }: AgentsParts): Promise<Agents> {
  const open = await modelOpener(settings);
  const figures = new Figures();
  const models = openModels({ settings, clock, open, sleep, figures, failed: log.noReply });
  const active = new ActiveRuns(settings.limits);
  const tracer = await tracerOf(settings, clock, log.failed);
  const parts: AgentParts = { settings, models, figures, tracer, active, inParts: runWorkflow, worker: clock.uuid() };
  const keep = async (next: Engine): Promise<void> => {
    const { readDocument } = await import('./providers/documents.ts');
    const place = { folder, hosts: settings.documentHosts };
    await keepDocuments(next, {
      read: ({ url }) => readDocument(url, place),
      unreadable: ({ title }, thrown) => log.unreadable(title, thrown),
    });
  };
  let engine: Engine | undefined;
  let sweeper: Sweeper | undefined;
  return {
    handlers: (model) =>
      new Map(
        [...model.agents.values()].map((agent) => [
          agent.name,
          { transaction: 'own', waits: true, reply: (event, context) => answer(agent, event, context, parts) },
        ]),
      ),
    flows: {
      run: (asked, context) => answerWorkflow(asked, context, parts),
      async queue(asked, writing) {
        await queueRun(asked, writing);
        writing.later.push({ what: 'beginning a run', run: async () => sweeper?.nudge() });
      },
      suspend: suspendRun,
    },
    async start(next) {
      await sweeper?.close();
      engine = next;
      await keep(next);
      sweeper = startSweeper({ ...parts, engine: next, isShared, workers, failed: log.failed });
    },
    actions: runActions,
    act(run, action, named, caller, request) {
      const known = runActions.find((each): each is RunAction => each === action);
      if (engine === undefined || known === undefined) throw new Error(`nobody can ${action} a run`);
      return actOn(run, known, named, caller, request, engine, parts);
    },
    figures: () => figures.all,
    checkModels({ agents, languageModels }, isRequired) {
      models.use(languageModels);
      const unready = [...agents.values()].filter((each) => each.flow === undefined && !models.isReady(modelOf(each)));
      if (unready.length === 0) return 'configured';
      const names = unready.map((each) => each.name);
      if (isRequired) throw new StartRefused(`No language model can be asked by ${names.join(', ')}. Set LLM_API_KEY.`);
      log.unready(names);
      return 'unconfigured';
    },
    async rehearse(name, scenario) {
      const agent = await engine?.asSystem(async ({ plan }) => plan.model.agents.get(name));
      if (engine === undefined || agent === undefined) throw new Error(`there is no agent ${name} to be tried`);
      return rehearse(agent, scenario, engine, parts);
    },
    async close() {
      await sweeper?.close();
      await tracer?.close();
    },
  };
}

/** Loaded only where an exporter is configured. */
async function tracerOf({ telemetry }: AgentSettings, clock: Clock, failed: AgentsParts['log']['failed']): Promise<Tracer | undefined> {
  if (telemetry === undefined) return undefined;
  const { openTracer } = await import('./providers/telemetry.ts');
  return openTracer(telemetry, clock, failed);
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
