// A field of a form that no attribute of the model stands behind.

import type { AttributeDescription } from '../../api/model.ts';

export function plainField(
  field: Pick<AttributeDescription, 'name' | 'type' | 'kind'> & { readonly required?: boolean },
): AttributeDescription {
  return {
    list: false,
    required: false,
    identifier: false,
    unique: false,
    readOnly: false,
    writeOnly: false,
    secret: false,
    computed: false,
    ...field,
  };
}
