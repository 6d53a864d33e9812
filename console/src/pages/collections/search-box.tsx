// Searches the texts of a type: what is searched is in the address, and is one of the filters that are shown.

import { type FormEvent, useEffect, useState } from 'react';
import type { EntityDescription } from '../../api/model.ts';
import { useParameters } from '../../router.tsx';

export function SearchBox({ entity }: { entity: EntityDescription }) {
  const [parameters, change] = useParameters();
  const asked = parameters.get('@search') ?? '';
  const [text, setText] = useState(asked);
  useEffect(() => setText(asked), [asked]);
  if (!entity.searchable) return null;
  const search = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted !== asked) change({ '@search': wanted === '' ? undefined : wanted, '@record': undefined });
  };
  return (
    <form className="search-box" onSubmit={search}>
      <input
        type="search"
        aria-label={`Find in ${entity.local}`}
        placeholder="Find words, Enter"
        dir="auto"
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </form>
  );
}
