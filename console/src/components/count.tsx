// How many instances of a type there are.

import { useQuery } from '@tanstack/react-query';
import { readPage } from '../api/instances.ts';
import type { EntityDescription } from '../api/model.ts';

export function Count({ entity }: { entity: EntityDescription }) {
  const { data, isError } = useQuery({
    queryKey: ['count', entity.name],
    queryFn: ({ signal }) => readPage(`${entity.path}?@limit=1&@count=true`, signal),
  });
  return <span className="figure">{isError ? <span className="hint">not counted</span> : (data?.total?.toLocaleString() ?? '…')}</span>;
}
