// What has been done, said in passing, and what can be taken back for ten seconds.

import { useEffect, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { useTopDialog } from './dialog.tsx';
import { shortened } from './value.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly name: string; run(): void } | undefined;
}

let toasts: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();
const shownFor = 10_000;

export function toast(text: string, action?: Toast['action']): void {
  count += 1;
  put([...toasts.slice(-2), { id: count, text, action }]);
}

function put(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function remove(id: number): void {
  put(toasts.filter((each) => each.id !== id));
}

export function ToastRegion() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  const dialog = useTopDialog();
  // That of the page stays: what comes into a region that is there already is announced.
  return (
    <>
      <Region shown={dialog === undefined ? shown : []} />
      {dialog !== undefined && createPortal(<Region shown={shown} />, dialog)}
    </>
  );
}

function Region({ shown }: { shown: readonly Toast[] }) {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((each) => (
        <ToastLine key={each.id} toast={each} />
      ))}
    </div>
  );
}

function ToastLine({ toast: { id, text, action } }: { toast: Toast }) {
  useEffect(() => {
    const timer = setTimeout(() => remove(id), shownFor);
    return () => clearTimeout(timer);
  }, [id]);
  const run = (): void => {
    remove(id);
    action?.run();
  };
  return (
    <div className="toast">
      <span>{shortened(text)}</span>
      {action !== undefined && (
        <button type="button" onClick={run}>
          {action.name}
        </button>
      )}
    </div>
  );
}
