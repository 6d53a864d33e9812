// A copy of the data as a download: made by the service, then saved, with how far it has got.

import { useEffect, useRef, useState } from 'react';
import { parseJson } from '../../api/json.ts';
import { problemOf, send } from '../../api/request.ts';
import { CopyAsCurl } from '../../components/curl.tsx';
import { messageOf } from '../../components/fault-text.tsx';
import { bytesText } from './figures.ts';

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'making' }
  | { readonly kind: 'loading'; readonly bytes: number; readonly of: number }
  | { readonly kind: 'done'; readonly name: string; readonly bytes: number }
  | { readonly kind: 'failed'; readonly message: string };

/** So much of it is held by the page; what it is given as a blob the browser may keep on the disk. */
const mostHeld = 8 * 1024 * 1024;
const asked = { method: 'POST', path: '/platform/backup' } as const;

export function Backup({ type, name, bytes }: { type: string; name: string; bytes: number | undefined }) {
  const [state, setState] = useState<State>({ kind: 'idle' });
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  if (type !== 'sqlite')
    return (
      <p className="hint">
        A PostgreSQL server is backed up by its own tools, while the service runs: <code>pg_dump --format=custom</code>.
      </p>
    );
  const run = async (): Promise<void> => {
    const control = new AbortController();
    stop.current = control;
    setState({ kind: 'making' });
    try {
      setState(await downloaded(name, control.signal, setState));
    } catch (thrown) {
      setState(control.signal.aborted ? { kind: 'idle' } : { kind: 'failed', message: messageOf(thrown) });
    }
  };
  const isRunning = state.kind === 'making' || state.kind === 'loading';
  return (
    <div className="backup">
      <div className="verify-buttons">
        <button type="button" disabled={isRunning} onClick={run}>
          Download backup
        </button>
        {isRunning && (
          <button type="button" className="quiet" onClick={() => stop.current?.abort()}>
            Cancel
          </button>
        )}
        <CopyAsCurl asked={() => ({ ...asked })} />
      </div>
      {state.kind === 'making' && (
        <>
          <progress aria-label="Backup" />
          <p className="hint">
            The service copies and checks the database{bytes === undefined ? '' : `, ${bytesText(bytes)}`}. It goes on serving.
          </p>
        </>
      )}
      {state.kind === 'loading' && (
        <>
          <progress aria-label="Backup" max={state.of} value={state.bytes} />
          <p className="hint">
            {bytesText(state.bytes)} of {bytesText(state.of)}
          </p>
        </>
      )}
      <div role="status">
        {state.kind === 'done' && (
          <p className="good">
            ✓ {state.name}, {bytesText(state.bytes)}. A service that is started on this file has the data of that moment.
          </p>
        )}
      </div>
      {state.kind === 'failed' && (
        <div role="alert" className="fault">
          <p>{state.message}</p>
        </div>
      )}
    </div>
  );
}

async function downloaded(application: string, signal: AbortSignal, onState: (state: State) => void): Promise<State> {
  const response = await send({ ...asked, headers: { accept: '*/*' }, signal });
  if (!response.ok || response.body === null) {
    const text = await response.text();
    throw problemOf(response.status, /json/.test(response.headers.get('content-type') ?? '') ? parseJson(text) : text);
  }
  const of = Number(response.headers.get('content-length') ?? 0);
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? `${application}.db`;
  const blobs: Blob[] = [];
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let held = 0;
  let bytes = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    bytes += value.length;
    held += value.length;
    if (held >= mostHeld) {
      blobs.push(new Blob(pieces));
      pieces = [];
      held = 0;
    }
    onState({ kind: 'loading', bytes, of });
  }
  if (bytes !== of) throw new Error('The download was cut: what has arrived is not the whole backup.');
  save(new Blob([...blobs, ...pieces], { type: 'application/vnd.sqlite3' }), name);
  return { kind: 'done', name, bytes };
}

function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
