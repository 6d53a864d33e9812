// What the entries are filtered by: kept in the address, so that a link shows the same.

import { type FormEvent, useId, useState } from 'react';
import type { EntryFilter } from '../../api/audit.ts';
import { useModel } from '../../api/model.ts';
import { useParameters } from '../../router.tsx';

const names = ['user', 'type', 'instance', 'since', 'until'] as const;
type Name = (typeof names)[number];

export function filterIn(parameters: URLSearchParams): EntryFilter {
  return Object.fromEntries(names.map((name) => [name, parameters.get(name) ?? undefined]));
}

export function EntryFilters() {
  const [parameters, change] = useParameters();
  // What is typed belongs to this address: another one begins anew.
  return <FilterForm key={parameters.toString()} given={filterIn(parameters)} change={change} />;
}

function FilterForm({ given, change }: { given: EntryFilter; change: (values: Record<Name, string | undefined>) => void }) {
  const id = useId();
  const { entities } = useModel();
  const [fault, setFault] = useState<string>();
  const isFiltered = names.some((name) => given[name] !== undefined);
  const apply = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: Name): string | undefined => String(form.get(name) ?? '').trim() || undefined;
    const [since, until] = [momentOf(text('since'), '00:00'), momentOf(text('until'), '23:59:59.999')];
    if (since === null || until === null) {
      setFault('A time is written as 2026-11-17 or 2026-11-17T09:30, in your own zone, or with a zone: 2026-11-17T09:30Z.');
      return;
    }
    change({ user: text('user'), type: text('type'), instance: text('instance'), since, until });
  };
  const field = (name: Name, label: string, list?: string) => (
    <label>
      {label}
      <input
        name={name}
        defaultValue={given[name] ?? ''}
        list={list}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={fault !== undefined && (name === 'since' || name === 'until')}
        aria-describedby={fault === undefined ? undefined : `${id}-fault`}
      />
    </label>
  );
  return (
    <form className="entry-filters" aria-label="Filter" onSubmit={apply}>
      {field('user', 'User')}
      {field('type', 'Type', `${id}-types`)}
      {field('instance', 'Instance')}
      {field('since', 'From')}
      {field('until', 'Until')}
      <datalist id={`${id}-types`}>
        {entities
          .filter((each) => !each.system)
          .map((each) => (
            <option key={each.name} value={each.name} />
          ))}
      </datalist>
      <div className="entry-filter-buttons">
        <button type="submit" className="primary">
          Apply
        </button>
        <button
          type="button"
          disabled={!isFiltered}
          onClick={() => change({ user: undefined, type: undefined, instance: undefined, since: undefined, until: undefined })}
        >
          Clear
        </button>
      </div>
      {fault !== undefined && (
        <p role="alert" id={`${id}-fault`} className="fault">
          {fault}
        </p>
      )}
    </form>
  );
}

/** In the reader's zone unless it names one, a date alone at the given time; null where it is no time. */
function momentOf(text: string | undefined, time: string): string | undefined | null {
  if (text === undefined) return undefined;
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return null;
  const at = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T${time}` : text);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
