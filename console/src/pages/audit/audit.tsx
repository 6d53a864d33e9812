// The audit trail: what was changed, by whom and how, filtered by what is in the address, and the proof that it is as it was written.

import { auditEntity } from '../../api/audit.ts';
import { useModel } from '../../api/model.ts';
import { Entries } from '../../components/history/history.tsx';
import { useParameters } from '../../router.tsx';
import { EntryFilters, filterIn } from './entry-filters.tsx';
import { Verify } from './verify.tsx';

export default function Audit() {
  const model = useModel();
  const [parameters] = useParameters();
  const trail = auditEntity(model);
  const filter = filterIn(parameters);
  const isFiltered = Object.values(filter).some((each) => each !== undefined);
  if (trail === undefined) return null;
  return (
    <div className="page">
      <h1>Audit</h1>
      <p className="hint">Who changed what, as it was before and after. Entries are only ever added.</p>
      <Verify />
      <EntryFilters />
      <Entries
        key={JSON.stringify(filter)}
        trail={trail}
        filter={filter}
        withInstance
        empty={
          isFiltered ? (
            <p>No entry is like that. Take away a part of the filter, or try it in a terminal:</p>
          ) : (
            <p>
              Nothing has been recorded yet. Mark a type with <code>{'@meta {"audit": true}'}</code>, change an instance of it, and look
              again:
            </p>
          )
        }
      />
    </div>
  );
}
