// Entries of the audit trail as a timeline: what was done, by whom, when, and what became of each attribute.

import { useState } from 'react';
import { type Entry, recordAddress } from '../../api/audit.ts';
import { writeJson } from '../../api/json.ts';
import { useModel } from '../../api/model.ts';
import { Link } from '../../router.tsx';
import { shortened, Time, textOf } from '../value.tsx';

/** So many attributes are shown before somebody asks for the others. */
const most = 6;

/** `withInstance` where the entries are of several. */
export function EntryList({ entries, withInstance }: { entries: readonly Entry[]; withInstance: boolean }) {
  return (
    <ul className="entries" aria-label="Entries">
      {entries.map((entry) => (
        <EntryItem key={entry.id} entry={entry} withInstance={withInstance} />
      ))}
    </ul>
  );
}

const done: Readonly<Record<string, string>> = { create: 'created', update: 'updated', delete: 'deleted' };

function EntryItem({ entry, withInstance }: { entry: Entry; withInstance: boolean }) {
  const isDenied = entry.outcome === 'denied';
  const verb = isDenied ? `denied: ${entry.operation}` : (done[entry.operation] ?? entry.operation);
  return (
    <li className={`entry ${isDenied ? 'denied' : entry.operation}`}>
      <p className="entry-head">
        <strong className="verb">{verb}</strong> {withInstance && <Subject entry={entry} />}
        <span className="hint">
          <bdi>{entry.user === null ? 'by the service, or nobody signed in' : `by ${shortened(entry.user)}`}</bdi> ·{' '}
          <Time value={entry.time} />
          {entry.requestId !== null && (
            <>
              {' '}
              · request <code>{shortened(entry.requestId)}</code>
            </>
          )}
          {entry.run !== null && (
            <>
              {' '}
              · run <code>{shortened(entry.run)}</code>
            </>
          )}
        </span>
      </p>
      {!isDenied && <Differences entry={entry} />}
    </li>
  );
}

function Subject({ entry }: { entry: Entry }) {
  const model = useModel();
  const address = entry.operation === 'delete' ? undefined : recordAddress(model, entry);
  const name = (
    <>
      {shortened(entry.type)} <bdi>{entry.instance === null ? '' : shortened(shownName(entry.instance))}</bdi>
    </>
  );
  return <span className="subject">{address === undefined ? name : <Link to={address}>{name}</Link>}</span>;
}

/** `path://blog$Post/1/blog$PostComment/blog$Comment/2` without what the type says already. */
function shownName(instance: string): string {
  if (!instance.startsWith('path://')) return instance;
  const parts = instance.slice('path://'.length).split('/');
  return parts.filter((_, index) => index % 3 === 1).join(' / ');
}

function Differences({ entry }: { entry: Entry }) {
  const [isWhole, setWhole] = useState(false);
  const changes = differencesOf(entry);
  if (changes.length === 0) return <p className="hint">No attribute that the trail keeps was changed.</p>;
  const shown = isWhole ? changes : changes.slice(0, most);
  return (
    <>
      <dl className="differences">
        {shown.map(({ name, before, after }) => (
          <div key={name}>
            <dt>{shortened(name)}</dt>
            <dd>
              {before !== undefined && (
                <del>
                  <bdi>{before}</bdi>
                </del>
              )}
              {after !== undefined && (
                <ins>
                  <bdi>{after}</bdi>
                </ins>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {changes.length > most && (
        <button type="button" className="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show ${changes.length - most} more`}
        </button>
      )}
    </>
  );
}

interface Difference {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Attribute by attribute, those that are not what they were; absent values are told apart from empty texts. */
function differencesOf({ before, after }: Entry): readonly Difference[] {
  const [was, is] = [before ?? {}, after ?? {}];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((name) => writeJson(was[name]) !== writeJson(is[name]));
  const text = (side: Entry['before'], name: string): string | undefined => {
    if (side === null || side[name] === undefined) return undefined;
    if (side[name] === null) return 'absent';
    return side[name] === '' ? '(empty)' : shortened(textOf(side[name]));
  };
  // What was absent and is not there either says nothing.
  return names.flatMap((name) => {
    const each = { name, before: text(before, name), after: text(after, name) };
    const isNothing = (before === null && each.after === 'absent') || (after === null && each.before === 'absent');
    return isNothing ? [] : [each];
  });
}
