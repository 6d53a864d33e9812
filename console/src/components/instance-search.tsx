// A field that searches the instances of a type by their title or identifier.

import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react';
import { type Row, readPage } from '../api/instances.ts';
import { type EntityDescription, type ModelDescription, titleAttribute, useModel } from '../api/model.ts';
import { rightsPath } from '../api/rights.ts';
import { shortened, textOf } from './value.tsx';

interface SearchParts {
  readonly id?: string;
  readonly label?: string;
  readonly entity: EntityDescription;
  readonly text: string;
  readonly isInvalid?: boolean;
  readonly describedBy?: string | undefined;
  /** Those that can be chosen; all of them where nothing is said. */
  readonly isOffered?: (row: Row) => boolean;
  readonly onText: (text: string) => void;
  readonly onChoose: (row: Row) => void;
}

export function InstanceSearch({ id, label, entity, text, isInvalid = false, describedBy, isOffered, onText, onChoose }: SearchParts) {
  const list = useId();
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  const asked = useDeferredValue(text);
  const model = useModel();
  const title = titleAttribute(entity);
  const { data } = useQuery({
    queryKey: ['search', entity.name, asked],
    queryFn: ({ signal }) => readPage(searchPath(model, entity, title, asked), signal),
    enabled: isOpen,
  });
  const rows = isOpen ? (data?.rows ?? []).filter(isOffered ?? Boolean).slice(0, shown) : [];
  const choose = (row: Row | undefined): void => {
    if (row === undefined) return;
    setOpen(false);
    onChoose(row);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      setOpen(false);
    }
    if (event.key === 'Enter' && isOpen && rows.length > 0) {
      event.preventDefault();
      choose(rows[chosen]);
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    setOpen(true);
    setChosen((chosen + (event.key === 'ArrowDown' ? (isOpen ? 1 : 0) : rows.length - 1)) % Math.max(1, rows.length));
  };
  return (
    <span className="combobox">
      <input
        id={id}
        role="combobox"
        aria-label={label}
        aria-expanded={rows.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={rows[chosen] === undefined ? undefined : `${list}-${chosen}`}
        aria-invalid={isInvalid}
        aria-describedby={describedBy}
        value={text}
        onFocus={() => setOpen(true)}
        onBlur={() => setTimeout(() => setOpen(false), 150)}
        onChange={(event) => {
          setOpen(true);
          setChosen(0);
          onText(event.target.value);
        }}
        onKeyDown={onKeyDown}
      />
      <span role="listbox" id={list} aria-label={entity.name} className="options floating" hidden={rows.length === 0} tabIndex={-1}>
        {rows.map((row, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above.
          <span
            key={textOf(row['__path__'] ?? row[entity.identifier])}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => choose(row)}
          >
            <bdi>{shortened(textOf(row[title]))}</bdi>{' '}
            {title !== entity.identifier && <small>{shortened(textOf(row[entity.identifier]))}</small>}
          </span>
        ))}
      </span>
    </span>
  );
}

const shown = 10;

/** By any part of the title or of the identifier, in any case. */
function searchPath(model: ModelDescription, entity: EntityDescription, title: string, text: string): string {
  const names = [...new Set([title, entity.identifier])];
  const searched = names.filter((name) =>
    entity.attributes.some((each) => each.name === name && each.kind === 'text' && each.type !== 'UUID'),
  );
  const part = text.replace(/[\\%_]/g, '\\$&').replace(/[\\"]/g, '\\$&');
  const filters = searched.map((name) => `${name}[ilike]="%${part}%"`);
  const filter = text === '' || filters.length === 0 ? '' : `&@or=${encodeURIComponent(`(${filters.join(',')})`)}`;
  return rightsPath(model, entity, `${entity.path}?@limit=${shown * 3}${filter}`);
}
