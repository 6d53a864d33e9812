// What the model would change in the tables, in words, what was changed so far, and what is kept of dropped things.

import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { shortened, Time } from '../../components/value.tsx';
import { type Migrations, useMigrations } from './status.ts';

export function MigrationSection() {
  const { data, error } = useMigrations();
  if (error !== null) return <FaultText thrown={error} />;
  if (data === undefined) return <Skeleton lines={3} label="Loading the migrations" />;
  return (
    <>
      {data.note !== undefined && <p className="notice">{data.note}</p>}
      <Pending pending={data.pending} />
      <History history={data.history} />
      {data.retired.length > 0 && (
        <>
          <h3>Retired</h3>
          <ul className="words">
            {data.retired.map((each) => (
              <li key={`${each.name} ${each.since}`}>
                {shortened(each.name)} ({each.type}), {each.rows.toLocaleString()} {each.rows === 1 ? 'row' : 'rows'}, since{' '}
                <Time value={each.since} />
              </li>
            ))}
          </ul>
          <p className="hint">
            Put back into the model they are there again; <code>platform migrate purge</code> removes them for good.
          </p>
        </>
      )}
    </>
  );
}

const by = { start: 'at the next start', apply: 'by platform migrate apply', nobody: 'in the way' } as const;

function Pending({ pending }: { pending: Migrations['pending'] }) {
  if (pending.length === 0) return <p>✓ Nothing is pending: the tables fit the model of the project.</p>;
  return (
    <>
      <h3>Pending</h3>
      <ul className="words">
        {pending.map((each) => (
          <li key={each.words}>
            {shortened(each.words)} <span className={each.by === 'start' ? 'hint' : 'bad'}>({by[each.by]})</span>
            {each.blocked !== undefined && <p className="fault">{shortened(each.blocked)}</p>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** So many words of one migration are shown: the first start of a large model has made a thousand tables. */
const mostWords = 20;

function History({ history }: { history: Migrations['history'] }) {
  if (history.length === 0) return null;
  return (
    <ul className="migrations">
      {history.toReversed().map((each) => (
        <li key={each.number}>
          <details>
            <summary>
              {each.number}. {each.kind}
              {each.version !== '' && `, version ${each.version}`}
              {each.undone && ' (undone)'}, <Time value={each.time} />,
              <span className="hint">
                {' '}
                {each.words.length} {each.words.length === 1 ? 'change' : 'changes'}
              </span>
            </summary>
            <ul className="words">
              {each.words.slice(0, mostWords).map((word) => (
                <li key={word}>{shortened(word)}</li>
              ))}
              {each.words.length > mostWords && <li className="hint">and {each.words.length - mostWords} more</li>}
            </ul>
          </details>
        </li>
      ))}
    </ul>
  );
}
