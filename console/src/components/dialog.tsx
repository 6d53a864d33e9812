// A dialog of the browser itself: it holds the focus, and Escape closes it.

import { type ReactNode, useId, useLayoutEffect, useRef, useSyncExternalStore } from 'react';

/** Those that are open, the topmost last: what lies outside of it can be neither read nor clicked. */
let open: readonly HTMLDialogElement[] = [];
const listeners = new Set<() => void>();

export function useTopDialog(): HTMLDialogElement | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open.at(-1),
  );
}

function put(next: readonly HTMLDialogElement[]): void {
  open = next;
  for (const listener of listeners) listener();
}

export function Dialog({
  title,
  onClose,
  children,
  wide = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Closed while it is still in the page, it gives the focus back to what had it before.
  useLayoutEffect(() => {
    const { current } = dialog;
    if (current === null) return;
    if (!current.open) current.showModal();
    put([...open, current]);
    return () => {
      put(open.filter((each) => each !== current));
      current.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        // That of a choice of files comes by here too. Where it cannot be prevented, the dialog is closed next.
        if (event.target !== event.currentTarget || !event.cancelable) return;
        event.preventDefault();
        onClose();
      }}
      onClose={({ target, currentTarget }) => {
        if (target !== currentTarget || !currentTarget.isConnected) return;
        onClose();
        // A browser closes it at a second Escape whatever is said: whoever has to answer it is shown it again.
        queueMicrotask(() => {
          const { current } = dialog;
          if (current?.isConnected && !current.open) current.showModal();
        });
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
