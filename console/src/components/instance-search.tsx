// A field that searches the instances of a type by their title or identifier.

import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react';
import { type Row, readPage } from '../api/instances.ts';
import { type AttributeDescription, type EntityDescription, type ModelDescription, titleAttribute, useModel } from '../api/model.ts';
import { rightsPath } from '../api/rights.ts';
import { itemText } from './form/draft.ts';
import { shortened, textOf } from './value.tsx';

interface SearchParts {
  readonly id?: string;
  readonly label?: string;
  readonly entity: EntityDescription;
  /** The attribute that is looked for besides the title; the identifier where nothing is said. */
  readonly by?: string;
  readonly text: string;
  readonly isInvalid?: boolean;
  readonly describedBy?: string | undefined;
  /** Those that can be chosen; all of them where nothing is said. */
  readonly isOffered?: (row: Row) => boolean;
  readonly onText: (text: string) => void;
  readonly onChoose: (row: Row) => void;
}

export function InstanceSearch(parts: SearchParts) {
  const { id, label, entity, text, isInvalid = false, describedBy, isOffered, onText, onChoose } = parts;
  const by = parts.by ?? entity.identifier;
  const list = useId();
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  const asked = useDeferredValue(text);
  const model = useModel();
  const title = titleAttribute(entity);
  const { data } = useQuery({
    queryKey: ['search', entity.name, by, asked],
    queryFn: ({ signal }) => search(model, entity, [title, by], asked, signal),
    enabled: isOpen,
  });
  // What was typed in full comes first: Enter takes it, and none that merely contains it.
  const isTyped = (row: Row): boolean => isNamed(entity, by, row, text);
  const offered = isOpen ? (data ?? []).filter(isOffered ?? Boolean) : [];
  const rows = [...offered.filter(isTyped), ...offered.filter((row) => !isTyped(row))].slice(0, shown);
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
            <bdi>{shortened(textOf(row[title]))}</bdi> {title !== by && <small>{shortened(textOf(row[by]))}</small>}
          </span>
        ))}
      </span>
    </span>
  );
}

const shown = 10;
const most = shown * 3;

function isNamed({ attributes }: EntityDescription, by: string, row: Row, text: string): boolean {
  const attribute = attributes.find(({ name }) => name === by);
  return attribute !== undefined && itemText(attribute, row[by]) === text;
}

/** The one that was typed in full is found however many merely contain it. */
async function search(
  model: ModelDescription,
  entity: EntityDescription,
  names: readonly [title: string, by: string],
  text: string,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const { rows } = await readPage(searchPath(model, entity, names, text), signal);
  const [, by] = names;
  const attribute = entity.attributes.find(({ name }) => name === by);
  if (text === '' || attribute === undefined || !isWhole(attribute, text) || rows.some((row) => isNamed(entity, by, row, text)))
    return rows;
  if (rows.length < most && attribute.kind !== 'scalar') return rows;
  const named = await readPage(rightsPath(model, entity, `${entity.path}?@limit=1&${by}=${encodeURIComponent(text)}`), signal);
  return [...named.rows, ...rows];
}

/** By any part of these, in any case; by the whole of what is no text. */
function searchPath(model: ModelDescription, entity: EntityDescription, names: readonly string[], text: string): string {
  const attributes = [...new Set(names)].flatMap((name) => entity.attributes.filter((each) => each.name === name));
  const part = text.replace(/[\\%_]/g, '\\$&').replace(/[\\"]/g, '\\$&');
  const filters = attributes.flatMap((attribute) => {
    const { name, kind, type } = attribute;
    if (kind === 'text' && type !== 'UUID') return [`${name}[ilike]="%${part}%"`];
    return kind !== 'scalar' && isWhole(attribute, text) ? [`${name}=${text}`] : [];
  });
  // Nothing else fits what was typed: the first of all would be none of them.
  const found = filters.length === 0 ? [`${entity.identifier}[null]=true`] : filters;
  const filter = text === '' ? '' : `&@or=${encodeURIComponent(`(${found.join(',')})`)}`;
  return rightsPath(model, entity, `${entity.path}?@limit=${most}${filter}`);
}

/** Whether a text can be a value as it stands: the service refuses to look for others. */
function isWhole({ kind, type }: AttributeDescription, text: string): boolean {
  if (kind === 'integer') return /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
  if (kind === 'uuid' || type === 'UUID') return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
  return kind === 'text' || kind === 'scalar';
}
