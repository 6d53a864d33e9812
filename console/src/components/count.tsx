// How many instances of a type there are: counted once it is in sight, as a model may have hundreds of types.

import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { readPage } from '../api/instances.ts';
import type { EntityDescription } from '../api/model.ts';

export function Count({ entity }: { entity: EntityDescription }) {
  const [place, isInSight] = useInSight();
  const { data, isError } = useQuery({
    queryKey: ['count', entity.name],
    queryFn: ({ signal }) => readPage(`${entity.path}?@limit=1&@count=true`, signal),
    enabled: isInSight,
  });
  return (
    <span ref={place} className="figure">
      {isError ? <span className="hint">not counted</span> : (data?.total?.toLocaleString() ?? '…')}
    </span>
  );
}

function useInSight() {
  const place = useRef<HTMLSpanElement>(null);
  const [isInSight, setInSight] = useState(false);
  useEffect(() => {
    if (place.current === null || isInSight) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((each) => each.isIntersecting)) setInSight(true);
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isInSight]);
  return [place, isInSight] as const;
}
