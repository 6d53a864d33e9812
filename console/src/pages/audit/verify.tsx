// Verify: proves that the trail is as it was written, and says how far it has got.

import { useEffect, useRef, useState } from 'react';
import { parseJson } from '../../api/json.ts';
import { useModel } from '../../api/model.ts';
import { problemOf, send } from '../../api/request.ts';
import { readEvents } from '../../api/server-events.ts';
import { CopyAsCurl } from '../../components/curl.tsx';
import { messageOf } from '../../components/fault-text.tsx';
import { shortened } from '../../components/value.tsx';

interface Progress {
  readonly blocks: number;
  readonly sealed: number;
  readonly known: number;
}

interface Result {
  readonly blocks: number;
  readonly sealed: number;
  readonly unsealed: number;
  readonly pruned: number;
  readonly found: number;
  readonly findings: readonly { readonly kind: string; readonly message: string }[];
}

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly progress: Progress | undefined }
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly message: string };

const asked = { method: 'POST', path: '/platform/audit/verify' } as const;

export function Verify() {
  const { caller } = useModel();
  const [state, setState] = useState<State>({ kind: 'idle' });
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const run = async (): Promise<void> => {
    const control = new AbortController();
    stop.current = control;
    setState({ kind: 'running', progress: undefined });
    try {
      const ended = await verified(control.signal, (progress) => setState({ kind: 'running', progress }));
      setState(ended);
    } catch (thrown) {
      setState(control.signal.aborted ? { kind: 'idle' } : { kind: 'failed', message: messageOf(thrown) });
    }
  };
  const isRunning = state.kind === 'running';
  return (
    <section className="verify" aria-label="Verification">
      <div className="verify-buttons">
        <button
          type="button"
          disabled={!caller.isAdmin || isRunning}
          title={caller.isAdmin ? undefined : 'Only an admin may verify the trail.'}
          onClick={run}
        >
          Verify
        </button>
        {isRunning && (
          <button type="button" className="quiet" onClick={() => stop.current?.abort()}>
            Cancel
          </button>
        )}
        <CopyAsCurl asked={() => asked} />
      </div>
      {state.kind === 'running' && <Running progress={state.progress} />}
      <div role="status">{state.kind === 'done' && state.result.found === 0 && <Whole result={state.result} />}</div>
      {state.kind === 'done' && state.result.found > 0 && <Findings result={state.result} />}
      {state.kind === 'failed' && (
        <div role="alert" className="fault">
          <p>{state.message}</p>
        </div>
      )}
    </section>
  );
}

async function verified(signal: AbortSignal, onProgress: (progress: Progress) => void): Promise<State> {
  const response = await send({ ...asked, headers: { accept: 'text/event-stream' }, signal });
  if (!response.ok || response.body === null) {
    const text = await response.text();
    throw problemOf(response.status, /json/.test(response.headers.get('content-type') ?? '') ? parseJson(text) : text);
  }
  let ended: State = { kind: 'failed', message: 'The service ended the verification before it was done.' };
  await readEvents(response.body, ({ event, data }) => {
    const told = Object(parseJson(data));
    if (event === 'progress') onProgress(told);
    if (event === 'done') ended = { kind: 'done', result: told };
    if (event === 'failed') ended = { kind: 'failed', message: String(told.message) };
  });
  return ended;
}

function Running({ progress }: { progress: Progress | undefined }) {
  if (progress === undefined) return <progress aria-label="Verification" />;
  const { blocks, sealed, known } = progress;
  return (
    <>
      <progress aria-label="Verification" max={Math.max(blocks, known)} value={blocks} />
      <p className="hint">
        {counted(sealed, 'entry', 'entries')} in {blocks.toLocaleString()} of about {counted(Math.max(blocks, known), 'block', 'blocks')}
      </p>
    </>
  );
}

function Whole({ result }: { result: Result }) {
  return (
    <p className="good">
      ✓ {counted(result.sealed, 'entry', 'entries')} in {counted(result.blocks, 'block', 'blocks')}: all as written, none missing.
      {result.unsealed > 0 && ` ${counted(result.unsealed, 'entry is', 'entries are')} not sealed yet.`}
      {result.pruned > 0 && ` ${counted(result.pruned, 'entry', 'entries')} before them went when their time was over.`}
    </p>
  );
}

function Findings({ result }: { result: Result }) {
  const { findings, found } = result;
  return (
    <div role="alert" className="fault">
      <p>
        <strong>The trail is not as it was written: {counted(found, 'finding', 'findings')}.</strong>
      </p>
      <ul>
        {findings.slice(0, 100).map((each) => (
          <li key={each.message}>✗ {shortened(each.message)}</li>
        ))}
      </ul>
      {found > 100 && <p>{(found - 100).toLocaleString()} more; platform audit verify lists them.</p>}
    </div>
  );
}

function counted(count: number, one: string, many: string): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
