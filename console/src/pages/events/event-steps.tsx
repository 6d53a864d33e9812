// The steps behind an event as a waterfall, and for operators the statements that each of them asks of the store.

import { useQuery } from '@tanstack/react-query';
import type { ExplainedStep, Explanation } from '../../../../src/http/platform/description.ts';
import { type EventDescription, useModel } from '../../api/model.ts';
import { call } from '../../api/request.ts';
import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import type { TracedStep } from './trace.ts';

interface StepsParts {
  readonly event: EventDescription;
  /** Absent where it has not run. */
  readonly steps: readonly TracedStep[] | undefined;
  readonly total: number | undefined;
}

export function EventSteps({ event, steps, total }: StepsParts) {
  const { caller } = useModel();
  return (
    <section aria-label="Steps" className="boxed">
      <h2>Steps</h2>
      {steps === undefined ? (
        <p className="hint">How long each step of the workflow takes is shown after a run.</p>
      ) : steps.length === 0 ? (
        <p className="hint">
          {caller.isAdmin
            ? 'No step was told: the service itself does this event, or it has a single value.'
            : 'The times of steps are told to admins, and to everybody where the service was started with --trace.'}
        </p>
      ) : (
        <Waterfall steps={steps} total={total ?? 0} />
      )}
      {caller.isAdmin && <Statements event={event} />}
    </section>
  );
}

function Waterfall({ steps, total }: { steps: readonly TracedStep[]; total: number }) {
  const end = Math.max(1, ...steps.map((each) => each.start + each.milliseconds));
  return (
    <>
      <ol className="waterfall">
        {steps.map((step, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step may come again, and has nothing but its place.
          <li key={at}>
            <span>
              {step.kind} <small>line {step.line}</small>
            </span>
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect x={Math.min(99, (step.start / end) * 100)} width={Math.max(1, (step.milliseconds / end) * 100)} height="10" rx="1" />
            </svg>
            <span className="figure">{step.milliseconds < 1 ? '< 1 ms' : `${step.milliseconds} ms`}</span>
          </li>
        ))}
      </ol>
      <p className="hint">
        {end.toLocaleString()} ms in the workflow, {Math.max(1, Math.round(total)).toLocaleString()} ms until the answer was here.
      </p>
    </>
  );
}

function Statements({ event }: { event: EventDescription }) {
  const { data, error, isPending } = useQuery({
    queryKey: ['explain', event.name],
    queryFn: async ({ signal }): Promise<Explanation> => {
      const { body } = await call({ path: `/platform/explain?event=${encodeURIComponent(event.name)}`, signal });
      // Made by the service from the type that is imported above.
      return Object(body);
    },
    staleTime: 60_000,
  });
  if (error !== null) return <FaultText thrown={error} />;
  if (isPending) return <Skeleton lines={3} label="Loading the statements" />;
  return (
    <details className="statements">
      <summary>Statements</summary>
      <p className="hint">{data.summary}</p>
      <StepList steps={data.steps} />
    </details>
  );
}

function StepList({ steps }: { steps: readonly ExplainedStep[] }) {
  return (
    <ol>
      {steps.map((step) => (
        <li key={step.number}>
          <p>
            <code>{step.text}</code> <small>{step.line === undefined ? '' : `line ${step.line}`}</small>
          </p>
          {step.lines.length > 0 && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard.
            <pre className="code" tabIndex={0}>
              {step.lines.join('\n')}
            </pre>
          )}
          {step.steps.length > 0 && <StepList steps={step.steps} />}
        </li>
      ))}
    </ol>
  );
}
