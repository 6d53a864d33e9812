// One instance: its attributes as a form, a tab for each relationship, and how the API reaches it.

import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { entityAt, readInstance } from '../../../api/instances.ts';
import { tabsOf, titleAttribute, useModel } from '../../../api/model.ts';
import { FaultText } from '../../../components/fault-text.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { shortened, textOf } from '../../../components/value.tsx';
import { useParameters } from '../../../router.tsx';
import { RecordApi } from './record-api.tsx';
import { RecordForm } from './record-form.tsx';
import { Related } from './related.tsx';

interface PanelParts {
  readonly path: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function RecordPanel({ path, onChanged, onClose }: PanelParts) {
  const model = useModel();
  const entity = entityAt(model, path);
  const [parameters, change] = useParameters();
  const id = useId();
  const { data, error, refetch } = useQuery({
    queryKey: ['record', path],
    queryFn: ({ signal }) => readInstance(path, signal),
    enabled: entity !== undefined,
  });
  if (entity === undefined) return null;
  const steps = tabsOf(entity).filter((step) =>
    model.entities.some((each) => each.name === step.target && each.operations.read !== 'none'),
  );
  const tabs = ['Attributes', ...steps.map((step) => tabName(step, steps)), 'API'];
  const wanted = parameters.get('@tab') ?? 'Attributes';
  const tab = tabs.includes(wanted) ? wanted : 'Attributes';
  const step = steps.find((each) => tabName(each, steps) === tab);
  const title = data === undefined ? '…' : shortened(textOf(data.row[titleAttribute(entity)] ?? data.row[entity.identifier]));
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
      <div role="tablist" aria-label="Parts of the instance" className="tabs">
        {tabs.map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            id={`${id}-${each}`}
            aria-selected={each === tab}
            aria-controls={`${id}-panel`}
            tabIndex={each === tab ? 0 : -1}
            onClick={() => change({ '@tab': each === 'Attributes' ? undefined : each }, 'replace')}
            onKeyDown={(event) => {
              const by = { ArrowRight: 1, ArrowLeft: tabs.length - 1 }[event.key];
              if (by === undefined) return;
              const next = tabs[(tabs.indexOf(each) + by) % tabs.length] ?? tab;
              change({ '@tab': next === 'Attributes' ? undefined : next }, 'replace');
              document.getElementById(`${id}-${next}`)?.focus();
            }}
          >
            {each}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`} className="panel-body">
        {error !== null && <FaultText thrown={error} />}
        {data === undefined && error === null && <Skeleton lines={8} label="Loading the instance" />}
        {data !== undefined && tab === 'Attributes' && (
          <RecordForm key={path} entity={entity} path={path} instance={data} reread={refetch} onChanged={onChanged} onClose={onClose} />
        )}
        {data !== undefined && step !== undefined && <Related key={tab} path={path} step={step} />}
        {data !== undefined && tab === 'API' && <RecordApi path={path} instance={data} />}
      </div>
    </aside>
  );
}

/** The relationship's own name; with the other end where it leads to several. */
function tabName(step: ReturnType<typeof tabsOf>[number], all: readonly ReturnType<typeof tabsOf>[number][]): string {
  return all.filter((each) => each.local === step.local).length > 1 ? `${step.local} ${step.name}` : step.local;
}
