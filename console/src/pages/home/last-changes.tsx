// What was changed last, by the audit trail: shown to whoever may read it.

import { useQuery } from '@tanstack/react-query';
import { systemName } from '../../api/accounts.ts';
import { auditEntity } from '../../api/audit.ts';
import { pathFrom, type Row, readPage } from '../../api/instances.ts';
import { type EntityDescription, entityNamed, useModel } from '../../api/model.ts';
import { lastPart } from '../../api/request.ts';
import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { shortened, Time } from '../../components/value.tsx';
import { Link, queryText } from '../../router.tsx';

const shown = 10;

export function LastChanges() {
  const entries = auditEntity(useModel());
  if (entries === undefined) return null;
  return (
    <section aria-labelledby="last-changes">
      <h2 id="last-changes">Last changes</h2>
      <Changes entries={entries} />
    </section>
  );
}

function Changes({ entries }: { entries: EntityDescription }) {
  const path = `${entries.path}?@sort=-${entries.identifier}&@limit=${shown}`;
  const { data, error } = useQuery({ queryKey: ['last-changes', path], queryFn: ({ signal }) => readPage(path, signal) });
  if (error !== null) return <FaultText thrown={error} />;
  if (data === undefined) return <Skeleton lines={4} label="Loading the last changes" />;
  if (data.rows.length === 0)
    return (
      <p className="hint">
        Nothing has been recorded yet. Types that are marked <code>@meta {'{"audit": true}'}</code> are.
      </p>
    );
  return (
    <ul className="rows">
      {data.rows.map((row) => (
        <Change key={String(row[entries.identifier])} entries={entries} row={row} />
      ))}
    </ul>
  );
}

function Change({ entries, row }: { entries: EntityDescription; row: Row }) {
  const model = useModel();
  const text = (name: string): string => String(row[systemName(entries, name)] ?? '');
  const [operation, type, instance, user, outcome] = ['operation', 'type', 'instance', 'user', 'outcome'].map(text);
  const entity = entityNamed(model, type ?? '');
  const verbs: Readonly<Record<string, string>> = { create: 'created', update: 'changed', delete: 'deleted' };
  const name = `${type} ${shortened(nameOf(instance ?? ''))}`;
  const at = entity && placeOf(entity, instance ?? '');
  return (
    <li>
      <span>
        <bdi>{user === '' ? 'The service' : shortened(user ?? '')}</bdi>{' '}
        {outcome === 'denied' ? `was denied to ${operation}` : (verbs[operation ?? ''] ?? operation)}{' '}
        {at === undefined || operation === 'delete' ? (
          <bdi>{name}</bdi>
        ) : (
          <Link to={`/data/${type}${queryText(new URLSearchParams({ '@record': at }))}`}>
            <bdi>{name}</bdi>
          </Link>
        )}
      </span>
      <span className="spacer" />
      <small>
        <Time value={text('time')} />
      </small>
    </li>
  );
}

function nameOf(instance: string): string {
  return instance.startsWith('path://') ? lastPart(instance) : instance;
}

/** Entries name an instance by its identifier, or by its path where it stands in another one. */
function placeOf(entity: EntityDescription, instance: string): string | undefined {
  if (instance === '') return undefined;
  return instance.startsWith('path://') ? pathFrom(instance) : `${entity.path}/${encodeURIComponent(instance)}`;
}
