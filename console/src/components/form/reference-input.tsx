// A field that refers to another instance: what is typed is searched for there.

import { entityNamed, useModel } from '../../api/model.ts';
import { InstanceSearch } from '../instance-search.tsx';
import { itemText } from './draft.ts';
import { FieldInput, type InputParts } from './field-input.tsx';

export function ReferenceInput({
  reference,
  ...parts
}: InputParts & { readonly reference: { readonly entity: string; readonly attribute: string } }) {
  const entity = entityNamed(useModel(), reference.entity);
  if (entity === undefined || entity.operations.read === 'none' || parts.isDisabled || parts.attribute.readOnly)
    return <FieldInput {...parts} />;
  const { id, attribute, text, onChange, isInvalid, 'aria-describedby': describedBy } = parts;
  return (
    <InstanceSearch
      id={id}
      entity={entity}
      by={reference.attribute}
      text={text}
      isInvalid={isInvalid}
      describedBy={describedBy}
      onText={onChange}
      onChoose={(row) => onChange(itemText(attribute, row[reference.attribute]))}
    />
  );
}
