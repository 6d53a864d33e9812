// A field that searches the instances of a type by their title or identifier.

import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react';
import { type Row, readPage } from '../api/instances.ts';
import { type EntityDescription, titleAttribute } from '../api/model.ts';
import { shortened, textOf } from './value.tsx';

interface SearchParts {
  readonly id?: string;
  readonly label?: string;
  readonly entity: EntityDescription;
  readonly text: string;
  readonly isInvalid?: boolean;
  readonly describedBy?: string;
  readonly onText: (text: string) => void;
  readonly onChoose: (row: Row) => void;
}

export function InstanceSearch({ id, label, entity, text, isInvalid = false, describedBy, onText, onChoose }: SearchParts) {
  const list = useId();
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  const asked = useDeferredValue(text);
  const title = titleAttribute(entity);
  const { data } = useQuery({
    queryKey: ['search', entity.name, asked],
    queryFn: ({ signal }) => readPage(searchPath(entity, title, asked), signal),
    enabled: isOpen,
  });
  const rows = isOpen ? (data?.rows ?? []) : [];
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

/** By the beginning of a word or any part of it, in any case. */
function searchPath(entity: EntityDescription, title: string, text: string): string {
  const isText = entity.attributes.find((each) => each.name === title)?.kind === 'text';
  const filter =
    text === '' || !isText ? '' : `&${encodeURIComponent(title)}[ilike]=${encodeURIComponent(`%${text.replace(/[\\%_]/g, '\\$&')}%`)}`;
  return `${entity.path}?@limit=10${filter}`;
}
