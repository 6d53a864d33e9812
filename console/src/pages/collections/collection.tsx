// One type as a table: what is filtered, sorted and shown is in the address, as is the record that is open.

import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { pathOf } from '../../api/instances.ts';
import { type EntityDescription, entityNamed, useModel } from '../../api/model.ts';
import { CopyAsCurl } from '../../components/curl.tsx';
import { FaultText } from '../../components/fault-text.tsx';
import { useParameters } from '../../router.tsx';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { ColumnChooser } from './column-chooser.tsx';
import { FilterChips, FilterForm } from './filters.tsx';
import { Grid, type Selection } from './grid/grid.tsx';
import { columnsIn, filtersIn, listPath, pageSize, streamPath, wholePath } from './list-query.ts';
import { useLive } from './live.ts';
import { NewRecord } from './record/new-record.tsx';
import { RecordPanel } from './record/record-panel.tsx';
import { replaceRow, useRows } from './rows.ts';
import { SearchBox } from './search-box.tsx';
import { ExportMenu } from './transfer/export-menu.tsx';
import { ImportDialog } from './transfer/import-dialog.tsx';

const nothing: Selection = new Map();

export function Collection({ entity }: { entity: EntityDescription }) {
  const client = useQueryClient();
  const [parameters, change] = useParameters();
  const [isImporting, setImporting] = useState(false);
  const [selection, setSelection] = useState(nothing);
  const path = listPath(entity, parameters);
  const queryKey = useMemo(() => ['list', entity.name, path], [entity.name, path]);
  const rows = useRows(queryKey, path);
  const stream = streamPath(entity, parameters);
  const live = useLive(stream, queryKey, entity);
  // What is out of the list is not selected unseen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the path that changes what is listed.
  useEffect(() => setSelection(nothing), [path]);
  const record = parameters.get('@record') ?? undefined;
  const chosen = parameters.get('@columns') ?? '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are drawn anew where the columns are others, not with every address.
  const columns = useMemo(() => columnsIn(entity, parameters), [entity, chosen]);
  const filters = filtersIn(parameters);
  const refresh = useCallback(() => client.invalidateQueries({ queryKey: ['list', entity.name] }), [client, entity.name]);
  const reason = useWhyNone(entity);
  const { update, delete: remove } = entity.operations;
  const isSelectable = update !== 'none' || remove !== 'none';
  return (
    <div className={record === undefined ? 'collection' : 'collection with-panel'}>
      <h1 className="visually-hidden">{entity.name}</h1>
      <section className="list" aria-label={`List of ${entity.name}`}>
        <div className="toolbar">
          <button type="button" className="primary" disabled={reason !== undefined} title={reason} onClick={() => change({ '@new': '1' })}>
            New {entity.local}
          </button>
          <SearchBox entity={entity} />
          <FilterChips filters={filters} />
          <FilterForm entity={entity} />
          <ColumnChooser entity={entity} />
          {reason !== undefined && <span className="hint">{reason}</span>}
        </div>
        {selection.size > 0 && <BulkBar entity={entity} selection={selection} onSelect={setSelection} onChanged={refresh} />}
        {rows.error !== undefined && (
          <div className="list-fault">
            <FaultText thrown={rows.error} />
            <button type="button" onClick={refresh}>
              Try again
            </button>
          </div>
        )}
        <Grid
          list={path}
          entity={entity}
          columns={columns}
          rows={rows}
          isFiltered={filters.length > 0}
          open={record}
          selection={isSelectable ? selection : undefined}
          onSelect={setSelection}
          onOpen={(row) => change({ '@record': pathOf(entity, row), '@tab': undefined })}
          onChanged={(row) => {
            replaceRow(client, queryKey, entity, row);
            client.invalidateQueries({ queryKey: ['record', pathOf(entity, row)] });
          }}
        />
        <footer className="list-footer">
          <span role="status">{countText(rows.total, rows.isTotalKnown, rows.error !== undefined)}</span>
          {live.added > 0 && (
            <button type="button" className="quiet" onClick={live.show}>
              Show {live.added} new
            </button>
          )}
          <span className={live.isOpen ? 'live on' : 'live'}>
            {live.isOpen ? 'live' : `not live${stream === undefined ? whyNotLive(entity) : ''}`}
          </span>
          <span className="spacer" />
          <ExportMenu entity={entity} path={wholePath(entity, parameters)} />
          <button type="button" className="quiet" disabled={reason !== undefined} title={reason} onClick={() => setImporting(true)}>
            Import
          </button>
          <CopyAsCurl asked={() => ({ path: `${path}${path.includes('?') ? '&' : '?'}@limit=${pageSize}` })} />
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

/** Why no instance can be made here; nothing where one can. */
function useWhyNone(entity: EntityDescription): string | undefined {
  const model = useModel();
  if (entity.operations.create === 'none') return `No rule gives you the right to create instances of ${entity.name}.`;
  if (!entity.contained || entity.rootable) return undefined;
  const parents = entity.parents.map((each) => entityNamed(model, each.entity)?.local ?? each.entity);
  return `Made in its ${parents.join(' or ')}.`;
}

function whyNotLive({ external }: EntityDescription): string {
  return external ? ': a resolver keeps them' : ' while searching';
}

function countText(total: number, isKnown: boolean, isFailed: boolean): string {
  if (!isKnown) return isFailed ? 'Not counted' : 'Counting …';
  return total === 0 ? 'None' : `${total.toLocaleString()} ${total === 1 ? 'row' : 'rows'}`;
}
