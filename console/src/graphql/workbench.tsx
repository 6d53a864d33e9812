// The page at `/graphql`: an operation is written, run, and answered beside it.

import type { GraphQLSchema } from 'graphql';
import { useCallback, useEffect, useRef, useState } from 'react';
import { signOut, writtenKey } from '../api/session.ts';
import { settings } from '../api/settings.ts';
import { messageOf } from '../components/fault-text.tsx';
import { Editor } from './editor.tsx';
import { Explorer } from './explorer.tsx';
import { formattedDocument, operationsIn, type Result, run, type Written } from './operations.ts';
import { loadSchema } from './schema.ts';

/** Of a subscription so many results are shown, the latest first. */
const mostShown = 100;
const welcome = '# Ctrl-Space completes a name, Ctrl-Enter runs the operation.\n\nquery {\n  __typename\n}\n';

type Part = 'variables' | 'headers';
const parts: readonly (readonly [Part, string])[] = [
  ['variables', 'Variables'],
  ['headers', 'Headers'],
];

export function Workbench() {
  const [written, setWritten] = useState(firstWritten);
  const [chosen, setChosen] = useState('');
  const [part, setPart] = useState<Part>('variables');
  const [formatFault, setFormatFault] = useState<string>();
  const [shownType, setShownType] = useState<string>();
  const { schema, fault: schemaFault } = useSchema();
  const { results, fault, isRunning, start, stop } = useRun();
  // What is written now: several changes, and a run, may come before it is rendered.
  const latest = useRef(written);
  const operations = operationsIn(written.query);
  const operation = chosenIn(operations, chosen);
  const change = (changed: Partial<Written>): void => {
    const next = { ...latest.current, ...changed };
    latest.current = next;
    setFormatFault(undefined);
    setWritten(next);
    // Headers may hold a token, which is kept nowhere.
    sessionStorage.setItem(writtenKey, JSON.stringify({ query: next.query, variables: next.variables }));
  };
  const format = (): void => {
    const query = formattedDocument(latest.current.query);
    if (query === undefined) setFormatFault('It has comments, which Format would lose: nothing was changed.');
    else change({ query });
  };
  const runOrStop = (): void => (isRunning ? stop() : start(latest.current, chosenIn(operationsIn(latest.current.query), chosen)));
  const named = operations.flatMap(({ name }) => name ?? []);
  return (
    <div className="workbench">
      <header className="banner">
        <h1>{settings.name}</h1>
        <button type="button" className="primary" onClick={runOrStop}>
          {isRunning ? 'Stop' : 'Run'}
        </button>
        {named.length > 1 && (
          <label className="inline">
            Operation
            <select value={operation?.name ?? ''} onChange={(event) => setChosen(event.target.value)}>
              {named.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        <button type="button" disabled={operations.length === 0} onClick={format}>
          Format
        </button>
        <span className="spacer" />
        <button
          type="button"
          aria-expanded={shownType !== undefined}
          disabled={schema === undefined}
          onClick={() => setShownType(shownType === undefined ? '' : undefined)}
        >
          Documentation
        </button>
        {settings.authentication && (
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        )}
      </header>
      <main className={shownType === undefined ? 'panes' : 'panes explained'}>
        <section aria-label="Operation" className="pane">
          <Editor
            label="Operation"
            language="graphql"
            value={written.query}
            schema={schema}
            onChange={(query) => change({ query })}
            onRun={runOrStop}
            onShow={setShownType}
          />
          <div role="tablist" aria-label="Sent along" className="tabs">
            {parts.map(([each, text]) => (
              <button
                key={each}
                id={`tab-${each}`}
                type="button"
                role="tab"
                aria-selected={part === each}
                aria-controls="sent-along"
                onClick={() => setPart(each)}
              >
                {text}
              </button>
            ))}
          </div>
          <div id="sent-along" role="tabpanel" aria-labelledby={`tab-${part}`} className="sent-along">
            <Editor
              key={part}
              label={part === 'variables' ? 'Variables' : 'Headers'}
              language="json"
              value={written[part]}
              onChange={(text) => change({ [part]: text })}
              onRun={runOrStop}
            />
          </div>
        </section>
        <section aria-label="Result" className="pane">
          <Faults faults={[fault, formatFault, schemaFault]} />
          <Editor label="Result" language="json" value={results.map(({ text }) => text).join('\n\n')} />
          <p role="status" className="hint">
            {statusOf(results, isRunning)}
          </p>
        </section>
        {schema !== undefined && shownType !== undefined && <Explorer schema={schema} shown={shownType} onShow={setShownType} />}
      </main>
    </div>
  );
}

function Faults({ faults }: { faults: readonly (string | undefined)[] }) {
  const told = faults.flatMap((each) => each ?? []);
  return told.length === 0 ? null : (
    <p role="alert" className="fault">
      {told.join(' ')}
    </p>
  );
}

function statusOf(results: readonly Result[], isRunning: boolean): string {
  const [last] = results;
  const many = results.length > 1 ? `${results.length} results` : `Status ${last?.status}`;
  return [...(last === undefined ? [] : [many]), ...(isRunning ? ['running'] : [])].join(', ');
}

/** A link may name an operation; else what was written last in this tab. */
function chosenIn<T extends { readonly name: string | undefined }>(operations: readonly T[], chosen: string): T | undefined {
  return operations.find(({ name }) => name === chosen) ?? operations[0];
}

function firstWritten(): Written {
  const given = new URLSearchParams(location.search);
  const kept: Partial<Written> = JSON.parse(sessionStorage.getItem(writtenKey) ?? '{}');
  const query = given.get('query');
  return query === null
    ? { query: kept.query ?? welcome, variables: kept.variables ?? '', headers: '' }
    : { query, variables: given.get('variables') ?? '', headers: '' };
}

function useSchema(): { readonly schema: GraphQLSchema | undefined; readonly fault: string | undefined } {
  const [schema, setSchema] = useState<GraphQLSchema>();
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    const left = new AbortController();
    loadSchema(left.signal).then(setSchema, (thrown: unknown) => {
      if (!left.signal.aborted) setFault(messageOf(thrown));
    });
    return () => left.abort();
  }, []);
  return { schema, fault };
}

function useRun() {
  const [results, setResults] = useState<readonly Result[]>([]);
  const [fault, setFault] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController>(undefined);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);
  const start = (written: Written, operation: Parameters<typeof run>[1]): void => {
    const current = new AbortController();
    running.current = current;
    setResults([]);
    setFault(undefined);
    setRunning(true);
    run(written, operation, current.signal, (result) => setResults((before) => [result, ...before].slice(0, mostShown)))
      .catch((thrown: unknown) => {
        if (!current.signal.aborted) setFault(messageOf(thrown));
      })
      .finally(() => setRunning(false));
  };
  return { results, fault, isRunning, start, stop };
}
