// What stands where something is going to be: grey lines, and after ten seconds a sentence.

import { useEffect, useState } from 'react';

export function Skeleton({ lines, label }: { lines: number; label: string }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 10_000);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="skeleton" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, index) => `line ${index}`).map((key) => (
        <span key={key} className="skeleton-line" />
      ))}
      {isSlow && <p>This takes longer than usual. The service may be busy; it is still being waited for.</p>}
    </div>
  );
}
