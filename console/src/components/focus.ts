// Where the keyboard goes on when what had the focus has gone, or could not be used while an answer was awaited.

/** What has had the focus last, and all that it stood in, from the inside. */
let held: readonly Element[] = [];
let isAwaited = false;

export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    held = target instanceof Element ? withAncestors(target) : [];
    isAwaited = false;
  });
  // Whoever clicks on nothing wants nothing to have it.
  document.addEventListener('pointerdown', () => {
    held = [];
  });
  const watched = { childList: true, subtree: true, attributeFilter: ['disabled'] };
  new MutationObserver(goOn).observe(document.body, watched);
}

function goOn(): void {
  const [last] = held;
  if (last === undefined || (document.activeElement !== document.body && document.activeElement !== last)) return;
  if (!last.isConnected) {
    const home = held.find((each) => each.isConnected);
    const grid = home?.closest<HTMLElement>('[role=grid]');
    const next = grid ? placeInGrid(grid) : home && placeIn(home);
    next?.focus({ preventScroll: true });
  } else if (last.matches(':disabled')) isAwaited = true;
  else if (isAwaited && last instanceof HTMLElement) last.focus({ preventScroll: true });
}

const focusable = ':is(a[href], button, input, select, textarea, summary, [tabindex="0"]):not(:disabled)';

/** Rows come and go while a table is scrolled, which gives the focus to no other one; in the place of a deleted row stands the next one, or the last. */
function placeInGrid(grid: HTMLElement): HTMLElement | null {
  const row = held.find((each) => each instanceof HTMLElement && each.dataset['index'] !== undefined);
  if (!(row instanceof HTMLElement)) return null;
  // Whoever types on into the next row would open it.
  if (!row.isConnected && held.some((each) => each.matches('.cell-editor'))) return grid;
  const count = Number(grid.getAttribute('aria-rowcount')) - 1;
  if (count === 0) return grid;
  return grid.querySelector<HTMLElement>(`[data-index="${Math.min(Number(row.dataset['index']), count - 1)}"]`);
}

/** As near as there is one; a table is gone on with where it was left, and another page from its beginning. */
function placeIn(home: Element): HTMLElement | null {
  for (const each of withAncestors(home)) {
    if (each.matches('main') || each.closest('main, dialog, nav, header') === null) break;
    const found =
      each.querySelector<HTMLElement>('[data-index][tabindex="0"]') ??
      [...each.querySelectorAll<HTMLElement>(focusable)].find((one) => one.checkVisibility());
    if (found !== undefined) return found;
  }
  return document.querySelector<HTMLElement>('main');
}

function withAncestors(element: Element): readonly Element[] {
  return element.parentElement === null ? [element] : [element, ...withAncestors(element.parentElement)];
}
