// One running service under the command: started, given a changed project, stopped.

import { type App, createApp } from '../../app.ts';
import type { Log } from '../../http/server/log.ts';
import type { Model } from '../../model/model.ts';
import type { ProjectTexts } from '../../operators/parts.ts';
import type { Ready } from '../load.ts';

export interface Service {
  /** Such as http://127.0.0.1:8080. */
  readonly addresses: readonly string[];
  /** Takes up a changed project. When it throws, the old one is being served. */
  renew(ready: Ready): Promise<void>;
  /** The text of model.lock.json, unless `known` is the digest of what is stored. */
  lock(known: string | undefined): Promise<string | undefined>;
  /** Requests under way are answered first. */
  close(): Promise<void>;
}

interface OpenOptions {
  readonly trace?: boolean;
  readonly requireLlm?: boolean;
  /** Reads the project again, without running anything of it. */
  readonly newest?: () => Promise<Model | undefined>;
}

export async function openService(ready: Ready, log: Log, options: OpenOptions = {}): Promise<Service> {
  let current = ready;
  const served = () => current;
  let running = await openApp(ready, log, options, served);
  return {
    get addresses() {
      return running.addresses;
    },
    async renew(next) {
      if (!needsRestart(current, next)) await running.app.reload(next.model);
      else {
        // The store lets one process in at a time, so the old app goes first.
        await running.app.close();
        try {
          running = await openApp(next, log, options, served);
        } catch (thrown) {
          running = await openApp(current, log, options, served);
          throw thrown;
        }
      }
      current = next;
    },
    lock: (known) => running.app.lock(known),
    close: () => running.app.close(),
  };
}

interface Running {
  readonly app: App;
  readonly addresses: readonly string[];
}

async function openApp(ready: Ready, log: Log, options: OpenOptions, served: () => Ready): Promise<Running> {
  const { trace = false, requireLlm = false, newest = async () => undefined } = options;
  const { model, settings } = ready;
  const { name, version, folder } = ready.project;
  const texts: ProjectTexts = {
    sources: () =>
      served()
        .project.packages.flatMap((each) => each.sources)
        .concat(served().project.sources),
    packages: () => served().project.packages,
    diagnostics: () => served().diagnostics,
    newest,
  };
  const flags = { traces: trace, requiresModels: requireLlm };
  const app = await createApp({ model, settings, name, version, folder, log, ...flags, project: texts });
  try {
    return { app, addresses: await app.listen() };
  } catch (thrown) {
    await app.close();
    throw thrown;
  }
}

function mapsToo(_: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value;
}

/** A model changes under live traffic; settings, name and version are fixed for the life of an app. */
function needsRestart(current: Ready, next: Ready): boolean {
  const fixed = ({ settings, project }: Ready) => JSON.stringify([settings, project.name, project.version], mapsToo);
  return fixed(current) !== fixed(next);
}
