// Which columns the table has; kept in the address.

import { useState } from 'react';
import type { EntityDescription } from '../../api/model.ts';
import { Dialog } from '../../components/dialog.tsx';
import { useParameters } from '../../router.tsx';
import { columnsIn, shownAttributes } from './list-query.ts';

export function ColumnChooser({ entity }: { entity: EntityDescription }) {
  const [isOpen, setOpen] = useState(false);
  const [parameters, change] = useParameters();
  const chosen = columnsIn(entity, parameters).map((each) => each.name);
  const toggle = (name: string): void => {
    const next = shownAttributes(entity)
      .map((each) => each.name)
      .filter((each) => (each === name ? !chosen.includes(name) : chosen.includes(each)));
    if (next.length > 0) change({ '@columns': next.join(',') }, 'replace');
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Columns
      </button>
      {isOpen && (
        <Dialog title="Columns" onClose={() => setOpen(false)}>
          <ul className="choices">
            {shownAttributes(entity).map(({ name }) => (
              <li key={name}>
                <label className="inline">
                  <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
                  {name}
                </label>
              </li>
            ))}
          </ul>
          <div className="buttons">
            <button type="button" className="primary" onClick={() => setOpen(false)}>
              Done
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
