// A button that opens a list of actions below it.

import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';

export function Menu({ name, label, children }: { name: string; label: ReactNode; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const whole = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    whole.current?.querySelector<HTMLElement>('[role^=menuitem]')?.focus();
    const outside = (event: Event): void => {
      if (event.target instanceof Node && !whole.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    // Not when it leaves the items: what goes while the focus moves takes it back.
    document.addEventListener('focusin', outside);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
    };
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      setOpen(false);
      whole.current?.querySelector<HTMLElement>('button')?.focus();
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const items = [...(whole.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
    const at = items.findIndex((each) => each.matches(':focus'));
    items[(at + (event.key === 'ArrowDown' ? 1 : items.length - 1)) % items.length]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the items inside.
    <div className="menu" ref={whole} onKeyDown={onKeyDown}>
      <button type="button" aria-label={name} aria-haspopup="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
      </button>
      {isOpen && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: its items are buttons.
        <div role="menu" aria-label={name} className="menu-items" onClick={() => setOpen(false)}>
          {children}
        </div>
      )}
    </div>
  );
}

export function MenuItem({ onSelect, children, checked }: { onSelect: () => void; children: ReactNode; checked?: boolean }) {
  return checked === undefined ? (
    <button type="button" role="menuitem" onClick={onSelect}>
      {children}
    </button>
  ) : (
    <button type="button" role="menuitemradio" aria-checked={checked} onClick={onSelect}>
      {children}
    </button>
  );
}
