// A form made from the types of attributes: one labelled field for each, with its faults beside it.

import { useId, useState } from 'react';
import type { AttributeDescription } from '../../api/model.ts';
import type { Fault } from '../../api/request.ts';
import { shortened, visible } from '../value.tsx';
import { type Draft, type Drafts, emptyText, hasEmptyText, retyped } from './draft.ts';
import { FieldInput, type InputParts } from './field-input.tsx';
import { ReferenceInput } from './reference-input.tsx';

interface FieldsParts {
  readonly attributes: readonly AttributeDescription[];
  readonly drafts: Drafts;
  /** What they began with, where there was something. */
  readonly before?: Drafts;
  readonly faults: readonly Fault[];
  readonly isDisabled?: boolean;
  readonly onChange: (name: string, draft: Draft) => void;
}

export function Fields({ attributes, drafts, before, faults, isDisabled = false, onChange }: FieldsParts) {
  return attributes.map((attribute) => (
    <Field
      key={attribute.name}
      attribute={attribute}
      draft={drafts[attribute.name] ?? (attribute.list ? [] : '')}
      before={before?.[attribute.name]}
      faults={faults.filter((each) => each.attribute.split(/[.[]/)[0] === attribute.name)}
      isDisabled={isDisabled}
      onChange={(draft) => onChange(attribute.name, draft)}
    />
  ));
}

interface FieldParts {
  readonly attribute: AttributeDescription;
  readonly draft: Draft;
  readonly before: Draft | undefined;
  readonly faults: readonly Fault[];
  readonly isDisabled: boolean;
  readonly onChange: (draft: Draft) => void;
}

function Field({ attribute, draft, before, faults, isDisabled, onChange }: FieldParts) {
  const id = useId();
  const described = [`${id}-hint`, ...(faults.length > 0 ? [`${id}-fault`] : [])].join(' ');
  const [isTyped, setTyped] = useState(false);
  // Of a field that was emptied it is not known which of the two is meant.
  const isAskedEmpty = hasEmptyText(attribute) && !isDisabled && !attribute.readOnly && (draft === emptyText || (draft === '' && isTyped));
  const type = (next: string): void => {
    setTyped(true);
    onChange(next);
  };
  const parts = { attribute, isInvalid: faults.length > 0, isDisabled, 'aria-describedby': described };
  return (
    <div className="field">
      <div className="field-head">
        {attribute.list ? (
          <span id={`${id}-label`} className="label">
            {attribute.name}
          </span>
        ) : (
          <label id={`${id}-label`} htmlFor={id}>
            {attribute.name}
          </label>
        )}
        <span id={`${id}-hint`} className="hint">
          {hintOf(attribute)}
        </span>
      </div>
      {typeof draft === 'string' ? (
        <Single {...parts} id={id} text={draft} onChange={(next) => type(retyped(next, before))} />
      ) : (
        <Items {...parts} labelledBy={`${id}-label`} items={draft} onChange={onChange} />
      )}
      {isAskedEmpty && (
        <label className="inline">
          <input
            type="checkbox"
            aria-labelledby={`${id}-label ${id}-empty`}
            checked={draft === emptyText}
            onChange={({ target }) => type(target.checked ? emptyText : '')}
          />
          <span id={`${id}-empty`}>Empty text instead of no value</span>
        </label>
      )}
      {faults.length > 0 && (
        <p id={`${id}-fault`} className="fault">
          {visible(
            faults.map((each) => `${each.attribute === attribute.name ? '' : `${each.attribute} `}${each.message}`).join('; '),
            2000,
          )}
        </p>
      )}
    </div>
  );
}

function Single(parts: InputParts) {
  return parts.attribute.reference === undefined ? (
    <FieldInput {...parts} />
  ) : (
    <ReferenceInput {...parts} reference={parts.attribute.reference} />
  );
}

type ItemsParts = Omit<InputParts, 'id' | 'text' | 'onChange'> & {
  readonly labelledBy: string;
  readonly items: readonly string[];
  readonly onChange: (items: readonly string[]) => void;
};

function Items({ labelledBy, items, onChange, ...parts }: ItemsParts) {
  const id = useId();
  const { isDisabled, attribute } = parts;
  return (
    <fieldset className="items" aria-labelledby={labelledBy}>
      {items.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item has nothing but its place.
        <div key={index} className="item">
          <label className="visually-hidden" htmlFor={`${id}-${index}`}>
            {attribute.name} {index + 1}
          </label>
          <Single
            {...parts}
            id={`${id}-${index}`}
            text={text}
            onChange={(next) => onChange(items.map((each, at) => (at === index ? next : each)))}
          />
          <button
            type="button"
            className="quiet"
            disabled={isDisabled}
            aria-label={`Remove item ${index + 1}`}
            onClick={() => onChange(items.filter((_, at) => at !== index))}
          >
            ×
          </button>
        </div>
      ))}
      <button
        type="button"
        className="quiet"
        disabled={isDisabled}
        aria-label={`Add to ${attribute.name}`}
        onClick={() => onChange([...items, ''])}
      >
        Add
      </button>
    </fieldset>
  );
}

function hintOf(attribute: AttributeDescription): string {
  const { type, list, required, unique, default: fallback, readOnly, computed, identifier, secret, comment } = attribute;
  const facts = [
    list ? `list of ${type}` : type,
    identifier ? 'identifier' : '',
    required ? 'required' : '',
    unique ? 'unique' : '',
    computed ? 'computed' : readOnly ? 'read-only' : '',
    secret ? 'never shown' : '',
    fallback !== undefined && fallback !== 'value' ? 'filled in when empty' : '',
    comment === undefined ? '' : shortened(comment),
  ];
  return facts.filter((each) => each !== '').join(' · ');
}
