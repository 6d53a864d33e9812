// A page whose address names nothing.

import type { ReactNode } from 'react';
import { shortened } from './value.tsx';

export function Missing({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="empty">
      <h1>
        <bdi>{shortened(name)}</bdi>
      </h1>
      {children}
    </div>
  );
}
