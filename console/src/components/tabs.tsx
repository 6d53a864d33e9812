// Tabs: the arrow keys move between them, and the address says which is open.

import { type ReactNode, useId } from 'react';

interface TabsParts {
  readonly label: string;
  readonly names: readonly string[];
  readonly open: string;
  readonly className?: string;
  readonly onOpen: (name: string) => void;
  readonly children: ReactNode;
}

export function Tabs({ label, names, open, className, onOpen, children }: TabsParts) {
  const id = useId();
  const idOf = (name: string): string => `${id}-${name.replaceAll(/[^\w-]/g, '_')}`;
  const move = (key: string, name: string): boolean => {
    const at = names.indexOf(name);
    const places: Readonly<Record<string, number>> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1 + names.length,
      Home: 0,
      End: names.length - 1,
    };
    const place = places[key];
    const next = place === undefined ? undefined : names[place % names.length];
    if (next === undefined) return false;
    onOpen(next);
    document.getElementById(idOf(next))?.focus();
    return true;
  };
  return (
    <>
      <div role="tablist" aria-label={label} className="tabs">
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={idOf(name)}
            aria-selected={name === open}
            aria-controls={`${id}-panel`}
            tabIndex={name === open ? 0 : -1}
            onClick={() => onOpen(name)}
            onKeyDown={(event) => {
              if (move(event.key, name)) event.preventDefault();
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={idOf(open)} className={className}>
        {children}
      </div>
    </>
  );
}
