// Somebody else has changed the instance meanwhile: both sides, and which of them is to stay.

import type { AttributeDescription, EntityDescription } from '../../../api/model.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { type Draft, type Drafts, draftValue, emptyText, isSame } from '../../../components/form/draft.ts';
import { shortened, textOf } from '../../../components/value.tsx';

interface ConflictParts {
  readonly entity: EntityDescription;
  readonly mine: Drafts;
  readonly before: Drafts;
  readonly theirs: Drafts;
  readonly onClose: () => void;
  readonly onKeepMine: () => void;
  readonly onTakeTheirs: () => void;
}

export function ConflictDialog({ entity, mine, before, theirs, onClose, onKeepMine, onTakeTheirs }: ConflictParts) {
  const differing = entity.attributes.filter(({ name }) => !isSame(mine[name], theirs[name]) || !isSame(theirs[name], before[name]));
  return (
    <Dialog title="Changed meanwhile" onClose={onClose} wide>
      <p>
        Somebody else has saved this instance since you opened it. Nothing of yours is lost: what you changed can be kept, the rest stays as
        they have it.
      </p>
      <table className="plain conflict">
        <thead>
          <tr>
            <th scope="col">Mine</th>
            <th scope="col">Theirs</th>
          </tr>
        </thead>
        {/* The name stands above both: on a narrow screen they have all of its width. */}
        {differing.map((attribute) => {
          const { name } = attribute;
          return (
            <tbody key={name}>
              <tr>
                <th scope="rowgroup" colSpan={2}>
                  {name}
                </th>
              </tr>
              <tr>
                <td dir="auto">
                  {isSame(mine[name], before[name]) ? <span className="hint">not changed</span> : sideText(attribute, mine[name])}
                </td>
                <td dir="auto">{sideText(attribute, theirs[name])}</td>
              </tr>
            </tbody>
          );
        })}
      </table>
      <div className="buttons">
        <button type="button" className="primary" onClick={onKeepMine}>
          Keep mine
        </button>
        <button type="button" onClick={onTakeTheirs}>
          Take theirs
        </button>
      </div>
    </Dialog>
  );
}

function sideText(attribute: AttributeDescription, draft: Draft = ''): string {
  if (draft === '') return draftValue(attribute, draft) === '' ? '(empty)' : '–';
  return draft === emptyText ? '(empty)' : shortened(textOf(draft));
}
