// What can be done with the rows that are selected.

import { useState } from 'react';
import type { EntityDescription } from '../../../api/model.ts';
import { mayDo, type RowOperation } from '../../../api/rights.ts';
import type { Selection } from '../grid/grid.tsx';
import { isEditable } from '../grid/grid-row.tsx';
import { DeleteDialog } from '../record/delete-dialog.tsx';
import { BulkEdit } from './bulk-edit.tsx';

interface BarParts {
  readonly entity: EntityDescription;
  readonly selection: Selection;
  readonly onSelect: (selection: Selection) => void;
  readonly onChanged: () => void;
}

export function BulkBar({ entity, selection, onSelect, onChanged }: BarParts) {
  const [doing, setDoing] = useState<RowOperation>();
  const refused = (operation: RowOperation): string | undefined => {
    const missing = [...selection.values()].filter((row) => !mayDo(operation, entity, row)).length;
    return missing === 0 ? undefined : `You may not ${operation} ${missing.toLocaleString()} of them.`;
  };
  const noEdit = entity.attributes.some(isEditable) ? refused('update') : 'Nothing of it can be changed.';
  const noDelete = refused('delete');
  const keep = (paths: readonly string[]): void => onSelect(new Map([...selection].filter(([path]) => paths.includes(path))));
  return (
    <>
      <section aria-label="Selected rows" className="bulk-bar">
        <span role="status">{selection.size.toLocaleString()} selected</span>
        <button type="button" disabled={noEdit !== undefined} title={noEdit} onClick={() => setDoing('update')}>
          Edit selected
        </button>
        <button type="button" className="danger" disabled={noDelete !== undefined} title={noDelete} onClick={() => setDoing('delete')}>
          Delete selected
        </button>
        <button type="button" className="quiet" onClick={() => onSelect(new Map())}>
          Clear
        </button>
        {(noEdit ?? noDelete) !== undefined && <span className="hint">{noEdit ?? noDelete}</span>}
      </section>
      {doing === 'update' && (
        <BulkEdit
          entity={entity}
          paths={[...selection.keys()]}
          onChanged={onChanged}
          onClose={(left) => {
            keep(left);
            setDoing(undefined);
          }}
        />
      )}
      {doing === 'delete' && (
        <DeleteDialog
          entity={entity}
          paths={[...selection.keys()]}
          onClose={() => setDoing(undefined)}
          onDeleted={(left) => {
            keep(left);
            onChanged();
            if (left.length === 0) setDoing(undefined);
          }}
          onUndone={onChanged}
        />
      )}
    </>
  );
}
