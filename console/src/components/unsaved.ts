// Changes that are not saved: leaving them asks, once.

import { useEffect, useRef } from 'react';
import { guardLeaving } from '../router.tsx';

export interface Unsaved {
  /** What was changed is saved, or no longer wanted: nobody is asked any more. */
  release(): void;
  /** Whether it may be left: asks where there are changes. */
  ask(): boolean;
}

/** `isLeft` says whether an address no longer shows what has the changes. */
export function useUnsaved(isChanged: boolean, isLeft: (next: URL) => boolean): Unsaved {
  const current = useRef({ isChanged, isReleased: false, isLeft });
  current.current.isChanged = isChanged;
  current.current.isLeft = isLeft;
  if (!isChanged) current.current.isReleased = false;
  const release = (): void => {
    current.current.isReleased = true;
  };
  const ask = (): boolean => {
    const { isChanged: hasChanges, isReleased } = current.current;
    if (!hasChanges || isReleased) return true;
    current.current.isReleased = window.confirm('There are changes that are not saved. Leave?');
    return current.current.isReleased;
  };
  const asked = useRef(ask);
  asked.current = ask;
  useEffect(() => {
    const onUnload = (event: BeforeUnloadEvent): void => {
      if (current.current.isChanged && !current.current.isReleased) event.preventDefault();
    };
    window.addEventListener('beforeunload', onUnload);
    const free = guardLeaving((next) => !current.current.isLeft(next) || asked.current());
    return () => {
      window.removeEventListener('beforeunload', onUnload);
      free();
    };
  }, []);
  return { release, ask };
}
