// The first file of the page at `/graphql`: signs in where that is asked for, then shows the workbench.

import { type FormEvent, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { resumeSession, signInWith, useSession, useSessionUser } from '../api/session.ts';
import { settings } from '../api/settings.ts';
import { ErrorBoundary } from '../components/error-boundary.tsx';
import { SignIn, SignInAgain } from '../sign-in.tsx';
import { followTheme } from '../theme.ts';
import { Workbench } from './workbench.tsx';
import '../styles/base.css';
import '../styles/frame.css';
import './graphql.css';

function Page() {
  const session = useSession();
  const user = useSessionUser();
  const [start, setStart] = useState<{ readonly failure?: string | undefined }>();
  useEffect(() => {
    if (!settings.authentication) setStart({});
    else resumeSession().then((failure) => setStart({ failure }));
  }, []);
  if (start === undefined) return null;
  return (
    <ErrorBoundary>
      {session === 'out' ? (
        <>
          <SignIn failure={start.failure} />
          <TokenForm />
        </>
      ) : (
        <Workbench key={user} />
      )}
      {session === 'expired' && <SignInAgain email={user ?? ''} />}
    </ErrorBoundary>
  );
}

function TokenForm() {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    signInWith(String(new FormData(event.currentTarget).get('token')).trim());
  };
  return (
    <aside className="sign-in" aria-label="Other ways to sign in">
      <form aria-label="Token" onSubmit={submit}>
        <label>
          Token or API key
          <input name="token" type="password" autoComplete="off" required />
        </label>
        <button type="submit">Use the token</button>
      </form>
    </aside>
  );
}

followTheme();
document.title = `GraphQL · ${settings.name}`;
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no place for the workbench');
createRoot(root).render(<Page />);
