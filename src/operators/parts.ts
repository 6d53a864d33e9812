// What the answers to operators are made from: the running service, and the texts of its project.

import type { Clock } from '../clock.ts';
import type { Settings } from '../config/config.ts';
import type { Diagnostic } from '../diagnostics.ts';
import type { Surface } from '../http/rest/surface.ts';
import type { Log } from '../http/server/log.ts';
import type { ResolverFigures } from '../http/server/metrics.ts';
import type { Model } from '../model/model.ts';
import type { Plan } from '../plan/plan.ts';
import type { Source } from '../source.ts';
import type { Store } from '../store/store.ts';
import type { NamedFolder } from './answer.ts';

/** The texts that a served model was read from, and what its files say by now. */
export interface ProjectTexts {
  /** Of the model that is served; its configuration is not one of them, as secrets may stand there. */
  sources(): readonly Source[];
  /** What the model depends on, wherever it lies. */
  packages(): readonly NamedFolder[];
  diagnostics(): readonly Diagnostic[];
  /** The model as its files have it now; nothing where they have errors. */
  newest(): Promise<Model | undefined>;
}

export interface OperatorParts {
  readonly plan: Plan;
  readonly store: Store;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly name: string;
  readonly version: string;
  /** The folder of the project: files are named from here. */
  readonly folder: string;
  /** When the process began to serve. */
  readonly started: Date;
  /** Absent where an application is made of a model alone. */
  readonly project?: ProjectTexts;
  /** The surfaces that the settings name. */
  surfaceOf(plan: Plan, settings: Settings): Surface;
  readonly log: Log;
  resolvers(): readonly ResolverFigures[];
}
