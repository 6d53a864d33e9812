// What stands in a table without rows: how to make the first one, or that the filters leave none.

import { type EntityDescription, entityNamed, useModel } from '../../../api/model.ts';
import { asCurl } from '../../../api/request.ts';
import { Skeleton } from '../../../components/skeleton.tsx';
import { Link } from '../../../router.tsx';

export function EmptyRows({ entity, isPending, isFiltered }: { entity: EntityDescription; isPending: boolean; isFiltered: boolean }) {
  return (
    <div role="rowgroup">
      {/* biome-ignore lint/a11y/useFocusableInteractive: nothing can be done with it. */}
      <div role="row">
        {/* biome-ignore lint/a11y/useFocusableInteractive: nothing can be done with it. */}
        <div role="gridcell" className="grid-empty">
          {isPending ? <Skeleton lines={10} label={`Loading ${entity.name}`} /> : <Hint entity={entity} isFiltered={isFiltered} />}
        </div>
      </div>
    </div>
  );
}

function Hint({ entity, isFiltered }: { entity: EntityDescription; isFiltered: boolean }) {
  if (isFiltered) return <p>Nothing fits the filters. Remove one above to see more.</p>;
  if (entity.operations.create === 'none') return <p>Nothing here yet, or nothing that you may read.</p>;
  if (entity.contained && !entity.rootable) return <InParent entity={entity} />;
  return (
    <>
      <p>Nothing here yet. Make the first with the button above, or from a terminal:</p>
      <code>{asCurl({ method: 'POST', path: entity.path, body: exampleOf(entity) })}</code>
    </>
  );
}

/** The way to where it is made, and the path that it is sent to there. */
function InParent({ entity }: { entity: EntityDescription }) {
  const model = useModel();
  const [found] = entity.parents;
  const parent = found && entityNamed(model, found.entity);
  const step = parent?.steps.find((each) => each.target === entity.name && each.kind === 'contains');
  if (parent === undefined || step === undefined) return <p>Nothing here yet. Instances are made inside of their {found?.entity}.</p>;
  const path = `${parent.path}/{${parent.identifier}}/${step.segment}/${step.name}`;
  return (
    <>
      <p>
        Nothing here yet. Open a <Link to={`/data/${parent.name}`}>{parent.local}</Link> and make the first in its tab {step.local}, or from
        a terminal:
      </p>
      <code>{asCurl({ method: 'POST', path, body: exampleOf(entity) })}</code>
    </>
  );
}

/** Enough to try: each required attribute with something of its kind. */
function exampleOf({ attributes }: EntityDescription): Readonly<Record<string, unknown>> {
  const required = attributes.filter((each) => each.required && !each.readOnly);
  return Object.fromEntries(required.map((each) => [each.name, exampleValue(each)]));
}

function exampleValue({ enum: choices, kind, list, type }: EntityDescription['attributes'][number]): unknown {
  const examples: Readonly<Record<string, unknown>> = {
    integer: 1,
    real: 1,
    decimal: '1',
    boolean: true,
    json: {},
    record: {},
    date: '2026-01-31',
    time: '13:45:00',
    datetime: '2026-01-31T13:45:00Z',
  };
  const one = choices?.[0] ?? (type === 'Email' ? 'ann@example.com' : (examples[kind] ?? 'text'));
  return list ? [one] : one;
}
