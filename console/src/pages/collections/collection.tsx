// One type as a table: what is filtered, sorted and shown is in the address, as is the record that is open.

import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { pathOf, readPage } from '../../api/instances.ts';
import { type EntityDescription, entityNamed, useModel } from '../../api/model.ts';
import { CopyAsCurl } from '../../components/curl.tsx';
import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useParameters } from '../../router.tsx';
import { ColumnChooser } from './column-chooser.tsx';
import { FilterChips, FilterForm } from './filters.tsx';
import { Grid } from './grid.tsx';
import { columnsIn, filtersIn, listPath, streamPath, wholePath } from './list-query.ts';
import { useLive } from './live.ts';
import { NewRecord } from './record/new-record.tsx';
import { RecordPanel } from './record/record-panel.tsx';
import { ExportMenu, ImportDialog } from './transfer.tsx';

export function Collection({ entity }: { entity: EntityDescription }) {
  const model = useModel();
  const client = useQueryClient();
  const [parameters, change] = useParameters();
  const [isImporting, setImporting] = useState(false);
  const first = listPath(entity, parameters);
  const queryKey = useMemo(() => ['list', entity.name, first], [entity.name, first]);
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    initialPageParam: first,
    getNextPageParam: (page) => page.next,
  });
  const live = useLive(streamPath(entity, parameters), queryKey, entity);
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.rows) ?? [], [list.data]);
  const total = list.data?.pages[0]?.total;
  const record = parameters.get('@record') ?? undefined;
  const columns = columnsIn(entity, parameters);
  const refresh = useCallback(() => client.invalidateQueries({ queryKey: ['list', entity.name] }), [client, entity.name]);
  const mayCreate = entity.operations.create !== 'none';
  const needsParent = entity.contained && !entity.rootable;
  const parents = entity.parents.map((each) => entityNamed(model, each.entity)?.local ?? each.entity);
  const reason = !mayCreate
    ? 'You may not create instances of this type.'
    : needsParent
      ? `Made in its ${parents.join(' or ')}.`
      : undefined;
  return (
    <div className={record === undefined ? 'collection' : 'collection with-panel'}>
      <h1 className="visually-hidden">{entity.name}</h1>
      <section className="list" aria-label={`List of ${entity.name}`}>
        <div className="toolbar">
          <button type="button" className="primary" disabled={reason !== undefined} title={reason} onClick={() => change({ '@new': '1' })}>
            New {entity.local}
          </button>
          <FilterChips filters={filtersIn(parameters)} />
          <FilterForm entity={entity} />
          <ColumnChooser entity={entity} />
        </div>
        {list.isError && <FaultText thrown={list.error} />}
        {list.isPending ? (
          <Skeleton lines={10} label={`Loading ${entity.name}`} />
        ) : (
          <Grid
            entity={entity}
            columns={columns}
            rows={rows}
            total={total}
            isLoading={list.isFetchingNextPage}
            loadMore={list.hasNextPage && !list.isFetchingNextPage && !list.isError ? list.fetchNextPage : undefined}
            open={record}
            onOpen={(row) => change({ '@record': pathOf(entity, row), '@tab': undefined })}
          />
        )}
        <footer className="list-footer">
          <span role="status">
            {rows.length === 0 ? 'None' : `1–${rows.length.toLocaleString()} of ${(total ?? rows.length).toLocaleString()}`}
          </span>
          {live.added > 0 && (
            <button type="button" className="quiet" onClick={live.show}>
              Show {live.added} new
            </button>
          )}
          <span className={live.isOpen ? 'live on' : 'live'}>{live.isOpen ? 'live' : 'not live'}</span>
          <span className="spacer" />
          <ExportMenu entity={entity} path={wholePath(entity, parameters)} />
          <button type="button" className="quiet" disabled={reason !== undefined} title={reason} onClick={() => setImporting(true)}>
            Import
          </button>
          <CopyAsCurl asked={() => ({ path: first })} />
        </footer>
      </section>
      {record !== undefined && (
        <RecordPanel key={record} path={record} onChanged={refresh} onClose={() => change({ '@record': undefined, '@tab': undefined })} />
      )}
      {parameters.has('@new') && reason === undefined && (
        <NewRecord
          entity={entity}
          path={entity.path}
          onClose={() => change({ '@new': undefined })}
          onCreated={(row) => {
            refresh();
            change({ '@new': undefined, '@record': pathOf(entity, row) });
          }}
        />
      )}
      {isImporting && <ImportDialog entity={entity} onClose={() => setImporting(false)} onDone={refresh} />}
    </div>
  );
}
