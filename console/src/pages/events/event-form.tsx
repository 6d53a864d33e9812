// One event: a form of its attributes, what it gave, and the steps that it took. What was typed stays until the console is left.

import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { creation, withoutEnvelope } from '../../api/instances.ts';
import type { EventDescription } from '../../api/model.ts';
import { type Call, call } from '../../api/request.ts';
import { Code } from '../../components/code.tsx';
import { CopyAsCurl, curlOf } from '../../components/curl.tsx';
import { FaultText } from '../../components/fault-text.tsx';
import { bodyOf, type Drafts } from '../../components/form/draft.ts';
import { faultsOf } from '../../components/form/faults.ts';
import { Fields } from '../../components/form/fields.tsx';
import { plainField } from '../../components/form/plain-field.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import { EventResult, expectedResult } from './event-result.tsx';
import { EventSteps } from './event-steps.tsx';
import { type TracedStep, tracedSteps } from './trace.ts';

interface Done {
  readonly status: number;
  readonly value: unknown;
  readonly milliseconds: number;
  readonly steps: readonly TracedStep[];
}

/** The field of an event that takes whatever it is sent. */
const anything = plainField({ name: 'Attributes', type: 'Map', kind: 'json' });

export function EventForm({ event }: { event: EventDescription }) {
  const attributes = event.open ? [...event.attributes, anything] : event.attributes;
  const [drafts, setDrafts] = useKeptDrafts(event.name);
  const [thrown, setThrown] = useState<unknown>();
  const [done, setDone] = useState<Done>();
  const [isBusy, setBusy] = useState(false);
  const asked = (): Call => creation(event.path, event.name, bodyFrom(event, bodyOf(attributes, drafts, undefined)));
  const run = async (submitted: FormEvent): Promise<void> => {
    submitted.preventDefault();
    setBusy(true);
    setThrown(undefined);
    setDone(undefined);
    const started = performance.now();
    try {
      const { status, body, headers } = await call({ ...asked(), headers: { 'platform-trace': '1' } });
      const milliseconds = performance.now() - started;
      setDone({ status, value: withoutEnvelope(body), milliseconds, steps: tracedSteps(headers.get('server-timing')) });
    } catch (failure) {
      setThrown(failure);
    }
    setBusy(false);
  };
  const curl = curlOf(asked);
  const { atFields, others } = faultsOf(thrown, attributes);
  const reason = event.mayRun ? undefined : 'You may not run this event.';
  return (
    <div className="page two-sides">
      <div>
        <h1>{event.name}</h1>
        <p className="hint">
          POST {event.path}
          {event.schedule !== undefined && ` · runs ${event.schedule}`}
        </p>
        <form onSubmit={run} noValidate aria-label={event.name}>
          <Fields
            attributes={attributes}
            drafts={drafts}
            faults={atFields}
            isDisabled={reason !== undefined}
            onChange={(name, draft) => setDrafts({ ...drafts, [name]: draft })}
          />
          {attributes.length === 0 && <p className="hint">It takes no attributes.</p>}
          {thrown !== undefined && <FaultText thrown={others} />}
          <div className="buttons">
            <button type="submit" className="primary" disabled={isBusy || reason !== undefined} title={reason}>
              Run
            </button>
            <button type="button" disabled={Object.keys(drafts).length === 0} onClick={() => setDrafts({})}>
              Clear
            </button>
            <span className="spacer" />
            <CopyAsCurl asked={asked} />
          </div>
          {reason !== undefined && <p className="hint">{reason}</p>}
        </form>
      </div>
      <div>
        <section aria-label="Result" className="boxed">
          <h2>Result</h2>
          <p role="status" className="hint">
            {isBusy ? 'Running …' : done === undefined ? '' : `${done.status} · ${Math.max(1, Math.round(done.milliseconds))} ms`}
          </p>
          {isBusy && <Skeleton lines={3} label="Running the event" />}
          {done !== undefined && <EventResult value={done.value} />}
          {!isBusy && done === undefined && thrown !== undefined && <p>It was refused, and gave nothing back.</p>}
          {!isBusy && done === undefined && thrown === undefined && (
            <>
              <p>
                {expectedResult(event.result)} Run it here{curl === undefined ? '.' : ', or in a terminal:'}
              </p>
              {curl !== undefined && <Code text={curl} />}
            </>
          )}
        </section>
        <EventSteps event={event} steps={done?.steps} total={done?.milliseconds} />
      </div>
    </div>
  );
}

/** What an open event takes stands beside what it declares. */
function bodyFrom({ open }: EventDescription, given: Readonly<Record<string, unknown>>): unknown {
  if (!open) return given;
  const { [anything.name]: more, ...declared } = given;
  if (more === undefined || more === null) return declared;
  // What is no object is sent as it was typed: the service says what is wrong with it.
  return typeof more === 'object' && !Array.isArray(more) ? { ...declared, ...more } : more;
}

/** In memory, until somebody signs out: secrets are among what is typed. */
function useKeptDrafts(name: string): readonly [Drafts, (drafts: Drafts) => void] {
  const client = useQueryClient();
  const key = ['drafts of an event', name];
  const [drafts, setDrafts] = useState<Drafts>(() => client.getQueryData<Drafts>(key) ?? {});
  const isEmpty = Object.keys(drafts).length === 0;
  useEffect(() => {
    if (isEmpty) return undefined;
    const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', onUnload);
    return () => window.removeEventListener('beforeunload', onUnload);
  }, [isEmpty]);
  const keep = (next: Drafts): void => {
    client.setQueryDefaults(key, { gcTime: Number.POSITIVE_INFINITY });
    client.setQueryData(key, next);
    setDrafts(next);
  };
  return [drafts, keep];
}
