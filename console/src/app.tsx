// The application: signs in, then shows the frame and in it the page that the address names.

import { useQueryClient } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useModel } from './api/model.ts';
import { resumeSession, useSession, useSessionUser } from './api/session.ts';
import { settings } from './api/settings.ts';
import { ErrorBoundary } from './components/error-boundary.tsx';
import { Skeleton } from './components/skeleton.tsx';
import { ToastRegion } from './components/toast.tsx';
import { shortened } from './components/value.tsx';
import { Frame } from './frame.tsx';
import { pages } from './pages.ts';
import { usePlace } from './router.tsx';
import { SignIn, SignInAgain } from './sign-in.tsx';

const loaded: ReadonlyMap<string, ComponentType> = new Map(pages.map((page) => [page.path, lazy(() => page.load())]));

export function App() {
  const session = useSession();
  const user = useSessionUser();
  const [start, setStart] = useState<{ readonly failure?: string | undefined }>();
  useEffect(() => {
    if (!settings.authentication) setStart({});
    else resumeSession().then((failure) => setStart({ failure }));
  }, []);
  useForgetting(user, session);
  if (start === undefined) return null;
  return (
    <ErrorBoundary>
      {session === 'out' ? (
        <SignIn failure={start.failure} />
      ) : (
        <Suspense fallback={<Skeleton lines={6} label="Loading the model" />}>
          <Signed key={user} />
        </Suspense>
      )}
      {session === 'expired' && <SignInAgain email={user ?? ''} />}
      <ToastRegion />
    </ErrorBoundary>
  );
}

/** What one user was shown is not there for the next; who signs in again sees what was refused meanwhile. */
function useForgetting(user: string | undefined, session: ReturnType<typeof useSession>): void {
  const client = useQueryClient();
  const before = useRef(user);
  // Before anything of the new user is shown.
  if (before.current !== user) {
    before.current = user;
    client.clear();
  }
  const last = useRef(session);
  useEffect(() => {
    if (last.current === 'expired' && session === 'in') client.invalidateQueries();
    last.current = session;
  }, [session, client]);
}

function Signed() {
  const model = useModel();
  const { segments } = usePlace();
  const entry = pages.find((page) => page.path === (segments[0] ?? '') && page.shown(model));
  const Page = entry && loaded.get(entry.path);
  const title = [entry?.name, ...segments.slice(1)].filter(Boolean).join(' / ');
  useEffect(() => {
    document.title = `${title === '' ? 'Not found' : shortened(title)} · ${settings.name}`;
  }, [title]);
  return (
    <Frame>
      <ErrorBoundary key={entry?.path ?? ''}>
        <Suspense fallback={<Skeleton lines={8} label="Loading the page" />}>{Page === undefined ? <NotFound /> : <Page />}</Suspense>
      </ErrorBoundary>
    </Frame>
  );
}

function NotFound() {
  return (
    <div className="empty">
      <h1>There is no such page</h1>
      <p>The address names nothing that the service has, or nothing that you may see.</p>
    </div>
  );
}
