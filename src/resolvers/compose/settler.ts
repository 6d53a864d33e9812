// What calls of composing resolvers left open: settled by asking the other system what it has, or kept for an operator as `platform.resolver/Pending`.

import type { Clock } from '../../clock.ts';
import type { Engine } from '../../engine/engine.ts';
import { perform } from '../../engine/execute.ts';
import type { Context, WriteContext } from '../../engine/operation.ts';
import { OwnTable } from '../../engine/own-table.ts';
import type { ExternalRows } from '../../engine/seams.ts';
import { writeAsSystem } from '../../engine/system-work.ts';
import { PlatformError } from '../../errors.ts';
import { pendingCall } from '../../model/builtin.ts';
import type { EntityPlan, Plan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import { objectOf, writeJson } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import { call } from '../call.ts';
import type { Resolver } from '../resolver.ts';
import { bringIntoAgreement } from './agreement.ts';
import { byName, type Composed, keyOfInstance, lockName, movedKeys, rowThere, storedRow } from './composed.ts';
import { type Intention, type Intentions, intendedIn } from './intentions.ts';

export interface SettlerParts {
  readonly plan: Plan;
  /** By the names of types. */
  readonly composed: ReadonlyMap<string, Composed>;
  readonly intentions: Intentions;
  readonly clock: Clock;
  /** Whether other processes may be at work on what is written down. */
  readonly isShared: boolean;
  /** Seconds that one event may take. */
  readonly flowTime: number;
  /** What a request sees of overridden types, without telling anybody of what it writes. */
  rows(context: Context): ExternalRows;
  failed(thrown: unknown, what: string): void;
  /** Told of each call that is shown from now on. */
  left(why: unknown, intention: Intention): void;
}

export interface LeftOpen {
  readonly intention: Intention;
  readonly why: unknown;
}

/** Milliseconds besides what a call and the event around it may take. */
const margin = 5000;
/** Milliseconds after which what other processes left open is looked for. */
const lookEvery = 30_000;
const longestTimer = 2 ** 31 - 1;

export class Settler {
  readonly #parts: SettlerParts;
  readonly #pending: EntityPlan;
  /** By identifier: what is to be settled, and when. */
  readonly #waiting = new Map<string, { readonly intention: Intention; readonly at: number }>();
  #engine: Engine | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  /** The store was away: until then it is not asked again for what is due. */
  #notBefore = 0;
  #isClosed = false;

  constructor(parts: SettlerParts) {
    this.#parts = parts;
    const pending = parts.plan.entities.get(pendingCall);
    if (pending === undefined) throw new Error('the model was linked without calls of resolvers');
    this.#pending = pending;
  }

  /** Milliseconds after which nobody can be at work on a call any more. */
  patience({ timeout }: Resolver): number {
    return this.#parts.isShared ? timeout + this.#parts.flowTime * 1000 + margin : timeout;
  }

  /** For commands: nothing is taken up by itself. */
  attach(engine: Engine): void {
    this.#engine = engine;
  }

  /** Takes up what was left open before. */
  async start(engine: Engine): Promise<void> {
    this.attach(engine);
    const now = this.#parts.clock.now().getTime();
    for (const each of await this.pending()) this.#waiting.set(each.id, { intention: each, at: now });
    await this.#look();
    if (this.#parts.isShared) this.#looking = setInterval(() => void this.#look().catch(this.#tell), lookEvery).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#looking);
    await this.#working;
  }

  /** What is over and needs nothing more. */
  async strike(ids: readonly string[]): Promise<void> {
    try {
      await this.#parts.intentions.strike(ids);
    } catch (thrown) {
      this.#parts.failed(thrown, 'striking out a call of a resolver');
    }
  }

  /** What the other system may still be doing, or what nobody knows the end of: settled when its time is over. */
  later(intentions: readonly Intention[]): void {
    const now = this.#parts.clock.now().getTime();
    for (const intention of intentions) {
      const timeout = this.#resolverOf(intention)?.resolver.timeout ?? 0;
      this.#waiting.set(intention.id, { intention, at: now + timeout });
    }
    if (intentions.length > 0) this.#schedule();
  }

  /** What could not be undone or settled is shown from now on. */
  async keep(left: readonly LeftOpen[]): Promise<void> {
    if (left.length === 0) return;
    try {
      await this.#asSystem(async (context) => {
        await writeAsSystem(context, async (writing) => {
          for (const each of left) await this.#show(each, writing);
        });
      });
      await this.#parts.intentions.strike(left.map(({ intention }) => intention.id));
    } catch (thrown) {
      this.#parts.failed(thrown, 'keeping a call of a resolver that could not be undone');
    }
  }

  /** As they are shown. */
  async pending(): Promise<readonly Intention[]> {
    const rows = new OwnTable(this.#pending.table);
    const found = await this.#asSystem(async ({ store }) => store.read((tx) => rows.all(tx, {})));
    return found.map(intentionFrom);
  }

  /** Throws where it cannot be settled now. */
  async settle(intention: Intention): Promise<void> {
    if (intention.operation === 'eval') throw new Error('nobody can be asked what became of an event: see to it, then strike it out');
    const found = this.#resolverOf(intention);
    if (found === undefined) throw new Error(`the model has no composing resolver ${intention.resolver} for ${intention.type} any more`);
    const { composed, resolver } = found;
    if (resolver.handlers.query === undefined) throw new Error(`${resolver.name} has no handler for query: nobody can ask what it has`);
    const { plan } = composed;
    const key = keyOfInstance(plan, intention.after ?? intention.before);
    const moved = movedKeys(plan, intention);
    const about = { user: null, requestId: null, signal: () => undefined, type: plan.type };
    await this.#asSystem(async (all) => {
      const context = { ...all, external: this.#parts.rows(all) };
      // Whoever does not answer is not waited for while something is locked.
      await rowThere(composed, resolver, key, about, context);
      await writeAsSystem(
        context,
        async (writing) => {
          const locked = moved === undefined ? [key] : [moved.from, key].toSorted(byName);
          for (const each of locked) await writing.tx.alone(lockName(plan, each), plan.table.name);
          const here = await storedRow(plan, key, writing.tx);
          const there = await rowThere(composed, resolver, key, about, writing);
          if (moved === undefined || here !== undefined) await bringIntoAgreement(intention, plan, { here, there }, writing);
          else if (there !== undefined) await this.#moveBack(intention, plan, resolver, moved.from, writing);
          await new OwnTable(this.#pending.table).remove(writing.tx, { id: intention.id });
        },
        { waits: true },
      );
    });
    await this.strike([intention.id]);
  }

  /** As it is: an operator has seen to it. */
  async discard({ id }: Intention): Promise<void> {
    const rows = new OwnTable(this.#pending.table);
    await this.#asSystem((context) => writeAsSystem(context, async ({ tx }) => void (await rows.remove(tx, { id }))));
    await this.strike([id]);
  }

  /** A move that was not committed here, with all that stands below, is undone there: each of them by itself. */
  async #moveBack({ before, after }: Intention, plan: EntityPlan, resolver: Resolver, from: Value, { tx }: WriteContext): Promise<void> {
    if ((await storedRow(plan, from, tx)) === undefined) throw new Error('it was moved by the other system, and is not stored any more');
    await call(resolver, 'update', before, { user: null, requestId: null, signal: () => undefined, type: plan.type, before: after });
  }

  async #look(): Promise<void> {
    for (const intention of await this.#parts.intentions.all())
      if (!this.#waiting.has(intention.id)) this.#waiting.set(intention.id, { intention, at: intention.due });
    this.#notBefore = 0;
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#waiting.size === 0) return;
    const first = [...this.#waiting.values()].reduce((earliest, { at }) => Math.min(earliest, at), Number.POSITIVE_INFINITY);
    const at = Math.max(first, this.#notBefore);
    const wait = Math.min(longestTimer, Math.max(0, at - this.#parts.clock.now().getTime()));
    this.#timer = setTimeout(() => {
      // One after the other: two at once would settle the same call twice, the second time by what has become of it since.
      this.#working = this.#working
        .then(() => this.#settleDue())
        .catch((thrown: unknown) => {
          this.#notBefore = this.#parts.clock.now().getTime() + lookEvery;
          this.#tell(thrown);
        })
        .finally(() => this.#schedule());
    }, wait).unref();
  }

  async #settleDue(): Promise<void> {
    const now = this.#parts.clock.now().getTime();
    const due = [...this.#waiting.values()].filter(({ at }) => at <= now);
    if (due.length === 0) return;
    // Whoever wrote it down may have come to an end with it meanwhile.
    const open = new Set([...(await this.#parts.intentions.all()), ...(await this.pending())].map(({ id }) => id));
    for (const { intention } of due) {
      if (this.#isClosed) return;
      this.#waiting.delete(intention.id);
      if (!open.has(intention.id)) continue;
      try {
        await this.settle(intention);
      } catch (why) {
        await this.keep([{ intention, why }]);
      }
    }
  }

  readonly #tell = (thrown: unknown): void => this.#parts.failed(thrown, 'settling calls of resolvers');

  async #show({ intention, why }: LeftOpen, writing: WriteContext): Promise<void> {
    const plan = this.#pending;
    const at = { in: { plan, under: undefined }, id: intention.id };
    const row = await new OwnTable(plan.table).find(writing.tx, { id: intention.id }, 'lock');
    this.#parts.left(why, intention);
    const error = reasonOf(why);
    if (row !== undefined) {
      const attempts = Number(row['attempts'] ?? 0) + 1;
      await perform({ kind: 'update', at, body: { attempts, error }, versions: undefined }, writing);
      return;
    }
    const { id, resolver, type, operation, before, after } = intention;
    const { entities } = this.#parts.plan;
    // An event is written down without what is hidden.
    const shown = (value: Value): Value => (operation === 'eval' ? value : shownOf(value, entities.get(type)));
    const told = { before: shown(before), after: shown(after), whole: writeJson({ before, after }) };
    const since = new Date(intention.since).toISOString();
    const body = { id, resolver, type, operation, ...told, since, attempts: 1, error, instance: nameOf(intention, this.#parts.plan) };
    await perform({ kind: 'create', at: at.in, body }, writing);
  }

  #resolverOf({ type, resolver: name }: Intention): { readonly composed: Composed; readonly resolver: Resolver } | undefined {
    const composed = this.#parts.composed.get(type);
    const resolver = composed?.resolvers.find((each) => each.name === name);
    return composed === undefined || resolver === undefined ? undefined : { composed, resolver };
  }

  #asSystem<T>(work: (context: Context) => Promise<T>): Promise<T> {
    if (this.#engine === undefined) throw new Error('calls of resolvers are settled after the start');
    return this.#engine.asSystem(work);
  }
}

/** What another system says is for the log alone. */
function reasonOf(why: unknown): string {
  if (why instanceof PlatformError) return `${why.code}: ${why.message}`;
  return why instanceof Error ? why.message : 'it failed';
}

/** As it is answered; of what the model does not have any more nobody knows whether it is hidden. */
function shownOf(instance: Value, plan: EntityPlan | undefined): Value {
  if (!isObject(instance) || plan === undefined) return null;
  const names = [...plan.attributes.filter((each) => !each.hidden).map((each) => each.name), ...plan.systemFields];
  return objectOf(names.flatMap((name): [string, Value][] => (Object.hasOwn(instance, name) ? [[name, instance[name] ?? null]] : [])));
}

/** An event has no name of its own. */
function nameOf({ type, operation, before, after }: Intention, { entities }: Plan): string {
  if (operation === 'eval') return '-';
  const fields = [after, before].find(isObject) ?? {};
  const identifier = entities.get(type)?.identifier.name ?? 'id';
  return String(fields[pathColumn] ?? fields[identifier] ?? '?');
}

function intentionFrom(row: Values): Intention {
  return { ...intendedIn(row), since: Date.parse(String(row['since'])), due: 0 };
}
