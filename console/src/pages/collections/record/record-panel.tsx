// One instance: its attributes as a form, a tab for each relationship, what it contains as a tree, what was done to it, who may do what, and how the API reaches it.

import { useQuery } from '@tanstack/react-query';
import { auditEntity } from '../../../api/audit.ts';
import { entityAt, readInstance } from '../../../api/instances.ts';
import { tabsOf, titleAttribute, useModel } from '../../../api/model.ts';
import { lastPart } from '../../../api/request.ts';
import { rightsPath } from '../../../api/rights.ts';
import { FaultText } from '../../../components/fault-text.tsx';
import { History } from '../../../components/history/history.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { Tabs } from '../../../components/tabs.tsx';
import { shortened, textOf } from '../../../components/value.tsx';
import { useParameters } from '../../../router.tsx';
import { RecordAccess } from './record-access.tsx';
import { RecordApi } from './record-api.tsx';
import { RecordForm } from './record-form.tsx';
import { Related } from './related.tsx';
import { containsOf, Tree } from './tree.tsx';

interface PanelParts {
  readonly path: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

const first = 'Attributes';

export function RecordPanel({ path, onChanged, onClose }: PanelParts) {
  const model = useModel();
  const entity = entityAt(model, path);
  const [parameters, change] = useParameters();
  const { data, error } = useQuery({
    queryKey: ['record', path],
    queryFn: ({ signal }) => readInstance(entity === undefined ? path : rightsPath(model, entity, path), signal),
    enabled: entity !== undefined,
  });
  if (entity === undefined) return null;
  const isReadable = (name: string): boolean => model.entities.some((each) => each.name === name && each.operations.read !== 'none');
  const steps = tabsOf(entity).filter((step) => isReadable(step.target));
  const hasTree = containsOf(entity).some((step) => isReadable(step.target));
  const { accessControl } = model.features;
  const own = [
    ...(hasTree ? ['Tree'] : []),
    ...(auditEntity(model) === undefined ? [] : ['History']),
    ...(accessControl ? ['Access'] : []),
    'API',
  ];
  const nameOf = (step: Step): string => tabName(step, steps, [first, ...own]);
  const tabs = [first, ...steps.map(nameOf), ...own];
  const wanted = parameters.get('@tab') ?? first;
  const tab = tabs.includes(wanted) ? wanted : first;
  const step = own.includes(tab) ? undefined : steps.find((each) => nameOf(each) === tab);
  const title =
    data === undefined
      ? error === null
        ? '…'
        : shortened(lastPart(path))
      : shortened(textOf(data.row[titleAttribute(entity)] ?? data.row[entity.identifier]));
  return (
    <aside className="panel" aria-label={`${entity.local} ${title}`}>
      <header className="panel-head">
        <h2>
          <bdi>{title}</bdi> <small>{entity.name}</small>
        </h2>
        <button type="button" className="quiet" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      <Tabs
        label="Parts of the instance"
        names={tabs}
        open={tab}
        className="panel-body"
        onOpen={(name) => change({ '@tab': name === first ? undefined : name }, 'replace')}
      >
        {error !== null && <FaultText thrown={error} />}
        {data === undefined && error === null && <Skeleton lines={8} label="Loading the instance" />}
        {data !== undefined && tab === first && (
          <RecordForm key={path} entity={entity} path={path} instance={data} onChanged={onChanged} onClose={onClose} />
        )}
        {data !== undefined && step !== undefined && <Related key={`${path} ${tab}`} path={path} row={data.row} step={step} />}
        {data !== undefined && tab === 'Tree' && <Tree entity={entity} path={path} name={title} />}
        {data !== undefined && tab === 'History' && <History entity={entity} row={data.row} />}
        {data !== undefined && tab === 'Access' && <RecordAccess entity={entity} path={path} row={data.row} />}
        {data !== undefined && tab === 'API' && <RecordApi path={path} instance={data} />}
      </Tabs>
    </aside>
  );
}

type Step = ReturnType<typeof tabsOf>[number];

/** The relationship's own name; with the other end where it leads to several, in full where a tab of the console has it. */
function tabName(step: Step, all: readonly Step[], taken: readonly string[]): string {
  const name = all.filter((each) => each.local === step.local).length > 1 ? `${step.local} ${step.name}` : step.local;
  return taken.includes(name) ? step.relationship : name;
}
