// A table that may be wider than the screen: it is scrolled by itself, also by the keyboard.

import type { ReactNode } from 'react';

export function Scrolled({ name, children }: { name: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard.
    <section className="scroll" aria-label={name} tabIndex={0}>
      {children}
    </section>
  );
}
