// What happens by the clock: looks for timers whose time has come, and runs them. Loaded only where a model has timers or schedules.

import type { Clock } from '../clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { Triggers } from '../engine/seams.ts';
import { writeAsSystem } from '../engine/system-work.ts';
import { type Timer, TimerRows } from './rows.ts';
import { isPostponed, runDue } from './run.ts';
import { putSchedules } from './schedules.ts';
import { validatingTimers } from './validate.ts';

export interface TimerSettings {
  /** Whether this process runs what is due; others may. */
  readonly enabled: boolean;
  /** The time zone of the fields of cron. */
  readonly zone: string;
  /** Timers that there may be. */
  readonly most: number;
}

export interface TimersParts {
  readonly settings: TimerSettings;
  readonly clock: Clock;
  /** Whether others may make timers in the same store. */
  readonly isShared: boolean;
  readonly log: {
    /** A timer did not do what it is to do. */
    failed(thrown: unknown, timer: string): void;
    unavailable(thrown: unknown): void;
  };
}

export interface Timers {
  /** What writes of timers set off, besides the logic of the model. */
  triggers(ofModel: Triggers): Triggers;
  /** Runs what is due from now on, by this engine. */
  start(engine: Engine): Promise<void>;
  /** The model has no timers any more. */
  stop(): Promise<void>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

/** Milliseconds: what nobody tells of is looked for so often, and what another instance has taken, waits for somebody to approve, or the store did not let through. */
const pauses = { shared: 1000, own: 60_000, again: 200, elsewhere: 1000, waiting: 30_000, unavailable: 2000 } as const;
const atOnce = 4;
/** Timers that are due and looked at: more than those that run for long, here and elsewhere. */
const lookedAt = 100;

export function createTimers({ settings, clock, isShared, log }: TimersParts): Timers {
  const running = new Map<string, Promise<void>>();
  /** Due times that another process works on, or that wait, and until when they are passed over: they would be the first each time. */
  const passedOver = new Map<string, number>();
  const started = clock.now().getTime();
  let engine: Engine | undefined;
  let wakeUp: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isClosed = false;
  let isAwaited = false;
  let isUnavailable = false;

  const wakeIn = (milliseconds: number): void => {
    clearTimeout(wakeUp);
    if (isClosed || !settings.enabled) return;
    wakeUp = setTimeout(look, Math.max(0, Math.min(milliseconds, isShared ? pauses.shared : pauses.own))).unref();
  };
  const look = (): void => {
    if (isClosed || !settings.enabled || engine === undefined) return;
    if (looking !== undefined) {
      isAwaited = true;
      return;
    }
    const asked = engine;
    looking = lookWith(asked).finally(() => {
      looking = undefined;
      if (!isAwaited) return;
      isAwaited = false;
      look();
    });
  };
  const lookWith = async (asked: Engine): Promise<void> => {
    try {
      const pause = await asked.asSystem(async ({ plan, store }) => {
        const rows = new TimerRows(plan);
        const now = clock.now().getTime();
        for (const [time, until] of passedOver) if (until <= now) passedOver.delete(time);
        const due = await store.read((tx) => rows.due(tx, now, lookedAt + passedOver.size));
        // Meanwhile it may have been told to stop, which waits for what runs, or to go on with another engine, which looks itself.
        if (isClosed || engine !== asked) return pauses.own;
        const free = due.filter((timer) => !passedOver.has(timeOf(timer)));
        for (const timer of free) if (running.size < atOnce && !running.has(timer.name)) begin(timer, asked);
        // Whoever ends looks again.
        if (free.length > 0) return pauses.again;
        const next = await store.read((tx) => rows.nextDue(tx, now));
        return Math.min(next ?? now + pauses.own, ...passedOver.values()) - clock.now().getTime();
      });
      isUnavailable = false;
      wakeIn(pause);
    } catch (thrown) {
      unavailable(thrown);
    }
  };
  /** Told once; it is tried again until it goes. */
  const unavailable = (thrown: unknown): void => {
    if (isClosed) return;
    if (!isUnavailable) log.unavailable(thrown);
    isUnavailable = true;
    wakeIn(pauses.unavailable);
  };
  const begin = (timer: Timer, asked: Engine): void => {
    const done = runDue(timer, { engine: asked, zone: settings.zone, started, failed: log.failed })
      .then((isRun) => {
        running.delete(timer.name);
        if (isRun === true) look();
        else passedOver.set(timeOf(timer), clock.now().getTime() + (isRun === 'waiting' ? pauses.waiting : pauses.elsewhere));
      })
      .catch((thrown: unknown) => {
        running.delete(timer.name);
        if (isPostponed(thrown)) unavailable(thrown);
        else log.failed(thrown, timer.name);
      });
    running.set(timer.name, done);
  };

  const stop = async (): Promise<void> => {
    engine = undefined;
    clearTimeout(wakeUp);
    await looking;
    while (running.size > 0) await Promise.all(running.values());
  };
  return {
    triggers: (ofModel) => validatingTimers(ofModel, { ...settings, changed: look }),
    async start(next) {
      await next.asSystem((context) => writeAsSystem(context, putSchedules, { decides: 'by queries' }));
      engine = next;
      look();
    },
    stop,
    async close() {
      isClosed = true;
      await stop();
    },
  };
}

/** One that is changed meanwhile has another one. */
function timeOf({ name, due }: Timer): string {
  return `${due} ${name}`;
}
