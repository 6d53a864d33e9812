// Filters: each is a part of the address, shown as a chip that can be taken away.

import { type FormEvent, useId, useState } from 'react';
import type { EntityDescription } from '../../api/model.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Choice } from '../../components/form/choice.tsx';
import { FieldInput } from '../../components/form/field-input.tsx';
import { plainField } from '../../components/form/plain-field.ts';
import { shortened } from '../../components/value.tsx';
import { useParameters } from '../../router.tsx';
import { type Filter, operatorsOf, shownAttributes } from './list-query.ts';

export function FilterChips({ filters }: { filters: readonly Filter[] }) {
  const [, change] = useParameters();
  return filters.map(({ name, text }) => (
    <span key={name} className="chip">
      <bdi>{shortened(text)}</bdi>
      <button type="button" aria-label={`Remove ${shortened(text)}`} onClick={() => change({ [name]: undefined, '@record': undefined })}>
        ×
      </button>
    </span>
  ));
}

const names: Readonly<Record<string, string>> = {
  eq: 'is',
  ne: 'is not',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is more than',
  gte: 'is at least',
  in: 'is one of (commas)',
  between: 'is between (comma)',
  like: 'is like (% and _)',
  ilike: 'contains, in any case',
  null: 'is absent',
  has: 'has the item',
};

/** Whatever is compared with is a text in the address. */
const comparedText = plainField({ name: 'value', type: 'String', kind: 'text' });

export function FilterForm({ entity }: { entity: EntityDescription }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [, change] = useParameters();
  const attributes = shownAttributes(entity).filter((each) => operatorsOf(each).length > 0);
  const [name, setName] = useState(attributes[0]?.name ?? '');
  const [chosen, setOperator] = useState('eq');
  const [value, setValue] = useState('');
  const attribute = attributes.find((each) => each.name === name);
  const operators = attribute === undefined ? [] : operatorsOf(attribute);
  const operator = operators.includes(chosen) ? chosen : (operators[0] ?? 'eq');
  const choices = operator === 'null' ? ['true', 'false'] : operator === 'eq' || operator === 'ne' ? choicesOf(attribute) : undefined;
  const apply = (event: FormEvent): void => {
    event.preventDefault();
    const given = choices !== undefined && !choices.includes(value) ? (choices[0] ?? '') : value;
    const wanted = operator === 'ilike' ? `%${given.replace(/[\\%_]/g, '\\$&')}%` : given;
    change({ [operator === 'eq' ? name : `${name}[${operator}]`]: wanted, '@record': undefined });
    setOpen(false);
    setValue('');
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Filter
      </button>
      {isOpen && (
        <Dialog title="Filter" onClose={() => setOpen(false)}>
          <form onSubmit={apply} className="stacked">
            <Choice label="Attribute" value={name} options={attributes.map((each) => each.name)} onChange={setName} />
            <Choice
              label="Operator"
              value={operator}
              options={operators.map((each) => ({ value: each, text: names[each] ?? each }))}
              onChange={setOperator}
            />
            <div>
              <label htmlFor={`${id}-value`}>Value</label>
              {choices === undefined ? (
                <FieldInput
                  id={`${id}-value`}
                  attribute={comparedText}
                  text={value}
                  isInvalid={false}
                  isDisabled={false}
                  onChange={setValue}
                />
              ) : (
                <select
                  id={`${id}-value`}
                  value={choices.includes(value) ? value : choices[0]}
                  onChange={(event) => setValue(event.target.value)}
                >
                  {choices.map((each) => (
                    <option key={each}>{each}</option>
                  ))}
                </select>
              )}
            </div>
            <div className="buttons">
              <button type="submit" className="primary">
                Apply
              </button>
              <button type="button" onClick={() => setOpen(false)}>
                Cancel
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}

function choicesOf(attribute: EntityDescription['attributes'][number] | undefined): readonly string[] | undefined {
  if (attribute?.kind === 'boolean') return ['true', 'false'];
  return attribute?.enum?.map(String);
}
