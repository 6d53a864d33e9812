// A run as a tree: its steps, what their tools were asked and gave, tokens and cost. What was refused is marked.

import { shortened, Time, textOf } from '../../components/value.tsx';
import { Link } from '../../router.tsx';
import type { Run, RunCall, RunStep } from './runs.ts';

export function RunTree({ run }: { run: Run }) {
  return (
    <>
      <p className="run-facts">
        <Status status={run.status} /> <span className="hint">{factsOf(run)}</span>
      </p>
      <ol className="run-tree">
        {run.steps.map((step) => (
          <StepItem key={`${step.no} ${step.name}`} step={step} />
        ))}
      </ol>
      {run.error !== undefined && run.error !== null && <p className="fault">{shortened(errorText(run.error))}</p>}
    </>
  );
}

function StepItem({ step }: { step: RunStep }) {
  const { name, status, label, method, calls, result } = step;
  return (
    <li>
      <p>
        <Mark status={status} /> <strong>{name}</strong> {label !== undefined && <span className="enum">→ {label}</span>}
        {label === undefined && method === 'else' && <span className="enum">→ otherwise</span>} <small>{factsOf(step)}</small>
      </p>
      {calls.length > 0 && (
        <ul>
          {calls.map((each) => (
            <CallItem key={each.id} asked={each} />
          ))}
        </ul>
      )}
      {result !== undefined && result !== null && (
        <p className="said">
          <bdi>{shortened(textOf(result))}</bdi>
        </p>
      )}
    </li>
  );
}

const refusals = ['refused', 'rejected', 'failed'];

function CallItem({ asked }: { asked: RunCall }) {
  const isRefused = refusals.includes(asked.status);
  return (
    <li className={isRefused ? 'refused' : undefined}>
      <p>
        <Mark status={asked.status} /> <code>{asked.tool}</code> {isRefused && <strong>{asked.status}</strong>}
        {asked.status === 'waiting' && <span className="enum waiting">waits for approval</span>}
      </p>
      <p className="said">
        <bdi>{shortened(textOf(asked.arguments))}</bdi>
        {asked.status !== 'waiting' && asked.result !== undefined && asked.result !== null && (
          <>
            {' → '}
            <bdi>{shortened(textOf(asked.result))}</bdi>
          </>
        )}
      </p>
    </li>
  );
}

const marks: Readonly<Record<string, readonly [sign: string, words: string]>> = {
  succeeded: ['✓', 'done'],
  done: ['✓', 'done'],
  approved: ['✓', 'approved'],
  running: ['…', 'under way'],
  queued: ['…', 'queued'],
  waiting: ['⏸', 'waits'],
};

function Mark({ status }: { status: string }) {
  const [sign, words] = marks[status] ?? ['✗', status];
  return (
    <span className={sign === '✗' ? 'mark bad' : 'mark'} role="img" aria-label={words}>
      {sign}
    </span>
  );
}

export function Status({ status }: { status: string }) {
  const look = refusals.includes(status) ? 'bad' : status === 'succeeded' ? 'good' : status === 'waiting' ? 'waiting' : '';
  return <span className={`enum ${look}`}>{status}</span>;
}

function factsOf({ started, ended, inputTokens, outputTokens, cost, ...rest }: Run | RunStep): string {
  const model = 'model' in rest ? rest.model : undefined;
  const took = started === undefined || ended === undefined ? '' : `${(Date.parse(ended) - Date.parse(started)).toLocaleString()} ms`;
  const tokens = inputTokens + outputTokens === 0 ? '' : `${inputTokens.toLocaleString()} + ${outputTokens.toLocaleString()} tokens`;
  return [model ?? '', took, tokens, cost === undefined ? '' : `costs ${cost}`].filter((each) => each !== '').join(' · ');
}

export function errorText(thrown: unknown): string {
  const { detail, title, code } = Object(thrown);
  return String(detail ?? title ?? code ?? textOf(thrown));
}

/** One line of a list of runs, by what was asked. */
export function RunLine({ run, isLinked = true }: { run: Run; isLinked?: boolean }) {
  const name = shortened(run.message ?? '').slice(0, 80) || run.id;
  return (
    <>
      <Status status={run.status} />
      {isLinked ? (
        <Link to={`/agents/${run.agent}?@run=${encodeURIComponent(run.id)}`}>
          <bdi>{name}</bdi>
        </Link>
      ) : (
        <bdi>{name}</bdi>
      )}
      <small>
        <Time value={run.started} />
      </small>
    </>
  );
}
