// The source of the model as the service read it, with what is to be said about it.

import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../../api/request.ts';
import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { visible } from '../../components/value.tsx';
import { useParameters } from '../../router.tsx';
import { linesOf } from './highlight.ts';

interface Told {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly suggestion?: string;
}

interface SourceFile {
  readonly file: string;
  readonly text: string;
}

export default function Source() {
  const [parameters, change] = useParameters();
  const { data, error, isPending } = useQuery({
    queryKey: ['source'],
    queryFn: async ({ signal }): Promise<{ files: readonly SourceFile[]; diagnostics: readonly Told[] }> => {
      const { body } = await call({ path: '/platform/source', signal });
      const { files = [], diagnostics = [] } = Object(body);
      return { files, diagnostics };
    },
    staleTime: 30_000,
  });
  if (error !== null) return <FaultText thrown={error} />;
  if (isPending) return <Skeleton lines={12} label="Loading the source" />;
  const shown = data.files.find((each) => each.file === parameters.get('@file')) ?? data.files[0];
  if (shown === undefined) return <p>The model was not read from files.</p>;
  const open = (file: string): void => change({ '@file': file });
  return (
    <div className="source">
      {data.files.length > 1 && (
        <label className="inline">
          File
          <select value={shown.file} onChange={(event) => open(event.target.value)}>
            {data.files.map(({ file }) => (
              <option key={file}>{file}</option>
            ))}
          </select>
        </label>
      )}
      <Diagnostics diagnostics={data.diagnostics} onOpen={open} />
      <h2>{shown.file}</h2>
      <SourceText file={shown} told={data.diagnostics.filter((each) => each.file === shown.file)} />
    </div>
  );
}

function Diagnostics({ diagnostics, onOpen }: { diagnostics: readonly Told[]; onOpen: (file: string) => void }) {
  if (diagnostics.length === 0) return <p className="hint">Nothing is to be said about it: no error, no warning.</p>;
  return (
    <ul className="diagnostics" aria-label="Diagnostics">
      {diagnostics.map((each) => (
        <li key={`${each.file} ${each.line} ${each.column} ${each.code}`} className={each.severity}>
          <button type="button" className="quiet" onClick={() => onOpen(each.file)}>
            {each.file}:{each.line}
          </button>
          <span>
            <strong>{each.severity}</strong> {each.message} {each.suggestion !== undefined && <em>{each.suggestion}</em>}{' '}
            <small>{each.code}</small>
          </span>
        </li>
      ))}
    </ul>
  );
}

const mostLines = 5000;

function SourceText({ file, told }: { file: SourceFile; told: readonly Told[] }) {
  const lines = useMemo(() => linesOf(file.file, file.text), [file]);
  const marked = new Map(told.map((each) => [each.line, each]));
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard. */}
      <pre className="code source-text" tabIndex={0}>
        {lines.slice(0, mostLines).map((pieces, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has nothing but its number.
          <span key={at} className={marked.has(at + 1) ? 'source-line marked' : 'source-line'} title={marked.get(at + 1)?.message}>
            {pieces.map((piece, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a piece has nothing but its place.
              <span key={index} className={`token-${piece.kind}`}>
                {visible(piece.text)}
              </span>
            ))}
            {'\n'}
          </span>
        ))}
      </pre>
      {lines.length > mostLines && (
        <p className="hint">
          These are the first {mostLines.toLocaleString()} lines of {lines.length.toLocaleString()}.
        </p>
      )}
    </>
  );
}
