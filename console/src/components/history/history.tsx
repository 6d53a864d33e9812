// What was done to one instance, or to whatever a filter says: pages of entries, the newest first, and what to do where there are none.

import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { auditEntity, auditedName, type EntryFilter, entriesPath, readEntries } from '../../api/audit.ts';
import type { Row } from '../../api/instances.ts';
import { type EntityDescription, useModel } from '../../api/model.ts';
import { asCurl } from '../../api/request.ts';
import { CopyAsCurl } from '../curl.tsx';
import { FaultText } from '../fault-text.tsx';
import { Skeleton } from '../skeleton.tsx';
import { EntryList } from './entry-list.tsx';

const pageSize = 50;

/** The history of one instance. */
export function History({ entity, row }: { entity: EntityDescription; row: Row }) {
  const model = useModel();
  const trail = auditEntity(model);
  if (trail === undefined)
    return (
      <p className="hint">
        {model.features.audit
          ? 'Only admins read the audit trail.'
          : 'The audit trail is off. Set auditTrail.enabled in the configuration to keep who changed what.'}
      </p>
    );
  return (
    <Entries
      trail={trail}
      filter={{ type: entity.name, instance: auditedName(entity, row) }}
      withInstance={false}
      empty={
        <p className="hint">
          Nothing is recorded of this instance. Types that are marked with <code>{'@meta {"audit": true}'}</code> have a history, from then
          on.
        </p>
      }
    />
  );
}

interface EntriesParts {
  readonly trail: EntityDescription;
  readonly filter: EntryFilter;
  readonly withInstance: boolean;
  readonly empty: ReactNode;
}

export function Entries({ trail, filter, withInstance, empty }: EntriesParts) {
  const first = entriesPath(trail, filter, pageSize);
  const list = useInfiniteQuery({
    queryKey: ['audit', first],
    queryFn: ({ pageParam, signal }) => readEntries(trail, pageParam, signal),
    initialPageParam: first,
    getNextPageParam: (page) => page.next,
  });
  if (list.isPending) return <Skeleton lines={8} label="Loading the entries" />;
  if (list.isError) return <FaultText thrown={list.error} />;
  const entries = list.data.pages.flatMap((page) => page.entries);
  return (
    <>
      {entries.length === 0 ? (
        <div className="entries-empty">
          {empty}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard. */}
          <pre className="code" tabIndex={0}>
            {asCurl({ path: first })}
          </pre>
        </div>
      ) : (
        <EntryList entries={entries} withInstance={withInstance} />
      )}
      <div className="buttons">
        {list.hasNextPage && (
          <button type="button" disabled={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            {list.isFetchingNextPage ? 'Loading…' : 'Older entries'}
          </button>
        )}
        <button type="button" className="quiet" disabled={list.isRefetching} onClick={() => list.refetch()}>
          Refresh
        </button>
        <CopyAsCurl asked={() => ({ path: first })} />
      </div>
    </>
  );
}
