// The frame around every page: navigation, where one is, commands, and who is signed in.

import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useModel } from './api/model.ts';
import { signOut } from './api/session.ts';
import { settings } from './api/settings.ts';
import { Menu, MenuItem } from './components/menu.tsx';
import { shortened } from './components/value.tsx';
import { pages } from './pages.ts';
import { Palette } from './palette.tsx';
import { Link, mayLeave, navigate, usePlace } from './router.tsx';
import { applyTheme, currentTheme, type Theme } from './theme.ts';

/** So many are a list that is read; of more, the page of all of them has each. */
const mostTypes = 60;

export function Frame({ children }: { children: ReactNode }) {
  const model = useModel();
  const { segments } = usePlace();
  const [isNavigating, setNavigating] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const [isSearching, setSearching] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setSearching(true);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
  const path = segments.join('/');
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the page that has changed, also by going back.
  useEffect(() => setNavigating(false), [path]);
  const side = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLElement>(null);
  // On a narrow screen the link that was chosen is hidden with all of them.
  useLayoutEffect(() => {
    const isHidden = side.current?.checkVisibility() === false;
    if (!isNavigating && isHidden && side.current?.contains(document.activeElement)) content.current?.focus({ preventScroll: true });
  }, [isNavigating]);
  const leaveNavigation = (event: { readonly key: string }): void => {
    if (event.key !== 'Escape' || !isNavigating) return;
    setNavigating(false);
    opener.current?.focus();
  };
  return (
    <div className={isNavigating ? 'frame navigating' : 'frame'}>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="banner">
        <button
          type="button"
          className="quiet only-narrow"
          aria-label="Navigation"
          ref={opener}
          aria-expanded={isNavigating}
          onKeyDown={leaveNavigation}
          onClick={() => setNavigating(!isNavigating)}
        >
          ☰
        </button>
        <Crumbs />
        <search>
          <button type="button" className="search-button" onClick={() => setSearching(true)}>
            <span>Search</span> <kbd>Ctrl K</kbd>
          </button>
        </search>
        <UserMenu />
      </header>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the key is that of the links inside. */}
      <div className="side" ref={side} onKeyDown={leaveNavigation}>
        <nav aria-label="Main">
          <p className="application">
            <span aria-hidden="true">▣</span> {settings.name}
          </p>
          <ul>
            {pages
              .filter((page) => page.shown(model))
              .map((page) => (
                <li key={page.path}>
                  <Link
                    to={`/${page.path}`.replace(/\/$/, '')}
                    aria-current={page.path === (segments[0] ?? '') ? 'page' : undefined}
                    onClick={() => setNavigating(false)}
                  >
                    {page.name}
                  </Link>
                </li>
              ))}
          </ul>
        </nav>
        {segments[0] === 'data' && segments.length > 2 && (
          <TypeLinks open={segments.slice(1, 3).join('/')} onGo={() => setNavigating(false)} />
        )}
      </div>
      <main id="main" ref={content} tabIndex={-1}>
        {!settings.authentication && (
          <p className="notice">Authentication is off: whoever reaches this service can read and change everything.</p>
        )}
        {children}
      </main>
      {isSearching && <Palette onClose={() => setSearching(false)} />}
    </div>
  );
}

/** The types beside the one that is open: from one table to the next without a page between. */
function TypeLinks({ open, onGo }: { open: string; onGo: () => void }) {
  const { entities } = useModel();
  const own = entities.filter((each) => !each.system && each.operations.read !== 'none').slice(0, mostTypes);
  if (own.length < 2) return null;
  return (
    <nav aria-label="Types" className="type-links">
      <p className="hint" aria-hidden="true">
        Types
      </p>
      <ul>
        {own.map((entity) => (
          <li key={entity.name}>
            <Link to={`/data/${entity.name}`} aria-current={entity.name === open ? 'page' : undefined} onClick={onGo}>
              {entity.local}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Crumbs() {
  const { segments } = usePlace();
  const page = pages.find((each) => each.path === (segments[0] ?? ''));
  const parts = [page?.name ?? segments[0] ?? 'Home', ...segments.slice(1)];
  const first = page === undefined || parts.length === 1 ? undefined : `/${page.path}`;
  return (
    <ol className="crumbs" aria-label="Where you are">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same name may stand in an address twice.
        <li key={`${index} ${part}`}>{index === 0 && first !== undefined ? <Link to={first}>{part}</Link> : shortened(part)}</li>
      ))}
    </ol>
  );
}

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'Theme of the system'],
  ['light', 'Light theme'],
  ['dark', 'Dark theme'],
];

function UserMenu() {
  const { caller } = useModel();
  const [theme, setTheme] = useState(currentTheme);
  const choose = (next: Theme): void => {
    applyTheme(next);
    setTheme(next);
  };
  const leave = (): void => {
    if (!mayLeave('/console')) return;
    navigate('');
    signOut();
  };
  return (
    <Menu name={caller.email ?? 'Settings'} label={<span className="user">{caller.email?.split('@')[0] ?? 'Settings'} ▾</span>}>
      {themes.map(([each, text]) => (
        <MenuItem key={each} checked={theme === each} onSelect={() => choose(each)}>
          {text}
        </MenuItem>
      ))}
      {settings.authentication && <MenuItem onSelect={leave}>Sign out</MenuItem>}
    </Menu>
  );
}
