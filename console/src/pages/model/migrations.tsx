// What the model would change in the tables, in words, what was changed so far, and what is kept of what was dropped.

import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/request.ts';
import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Time } from '../../components/value.tsx';

interface Change {
  readonly words: string;
  readonly by: 'start' | 'apply' | 'nobody';
  /** What is in its way, and what could be done about it. */
  readonly blocked?: string;
  readonly ways?: readonly string[];
}

interface Done {
  readonly number: number;
  readonly time: string;
  readonly kind: string;
  readonly version: string;
  readonly words: readonly string[];
  readonly undone?: boolean;
}

interface Retired {
  readonly name: string;
  readonly since: string;
  readonly type: string;
  readonly rows: number;
}

interface Status {
  readonly pending: readonly Change[];
  readonly history: readonly Done[];
  readonly retired: readonly Retired[];
  readonly note?: string;
}

const byWhom: Readonly<Record<Change['by'], string>> = {
  start: 'done by the next start',
  apply: 'waits for platform migrate apply',
  nobody: 'cannot be done as it is',
};

export default function Migrations() {
  const { data, error, isPending } = useQuery({
    queryKey: ['migrations'],
    queryFn: async ({ signal }): Promise<Status> => {
      const { pending = [], history = [], retired = [], ...rest } = Object((await call({ path: '/platform/migrations', signal })).body);
      return { ...rest, pending, history, retired };
    },
  });
  if (error !== null) return <FaultText thrown={error} />;
  if (isPending) return <Skeleton lines={8} label="Loading the migrations" />;
  const { pending, history, retired, note } = data;
  return (
    <div className="migrations">
      {note !== undefined && <p className="notice">{note}</p>}
      <section aria-labelledby="pending">
        <h2 id="pending">Pending</h2>
        {pending.length === 0 && <p>The database fits the model: nothing is to be done.</p>}
        <ul>
          {pending.map((each) => (
            <li key={each.words} className="migration">
              <p>
                {each.words} <span className={each.by === 'start' ? 'enum' : 'enum waiting'}>{byWhom[each.by]}</span>
              </p>
              {each.blocked !== undefined && <p className="fault">{each.blocked}</p>}
              {each.ways !== undefined && (
                <ul>
                  {each.ways.map((way) => (
                    <li key={way}>{way}</li>
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="history">
        <h2 id="history">History</h2>
        {history.length === 0 && <p className="hint">Nothing was changed yet.</p>}
        <ol className="history">
          {[...history].reverse().map((each) => (
            <li key={each.number} className="migration">
              <p>
                <strong>{each.number}</strong> <Time value={each.time} />{' '}
                <small>
                  {each.kind}
                  {each.version === '' ? '' : ` · version ${each.version}`}
                  {each.undone === true ? ' · undone' : ''}
                </small>
              </p>
              <ul>
                {each.words.slice(0, 50).map((word) => (
                  <li key={word}>{word}</li>
                ))}
                {each.words.length > 50 && <li className="hint">… {each.words.length - 50} more</li>}
              </ul>
            </li>
          ))}
        </ol>
      </section>
      {retired.length > 0 && (
        <section aria-labelledby="retired">
          <h2 id="retired">Retired</h2>
          <p className="hint">What the model dropped is kept, and comes back with its name.</p>
          <ul className="rows">
            {retired.map((each) => (
              <li key={`${each.name} ${each.since}`}>
                <strong>{each.name}</strong> {each.type} · {each.rows.toLocaleString()} {each.rows === 1 ? 'row' : 'rows'} ·{' '}
                <Time value={each.since} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
