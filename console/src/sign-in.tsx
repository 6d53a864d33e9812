// Signing in: by password, at another service, and by a new password that a mail leads to.

import { type FormEvent, type ReactNode, useState } from 'react';
import { authenticate, signIn, signInAt, signOut } from './api/session.ts';
import { settings } from './api/settings.ts';
import { Dialog } from './components/dialog.tsx';
import { messageOf } from './components/fault-text.tsx';
import { visible } from './components/value.tsx';

type Step = 'sign-in' | 'forgot' | 'code';

export function SignIn({ failure }: { failure: string | undefined }) {
  const [step, setStep] = useState<Step>('sign-in');
  const [email, setEmail] = useState('');
  const [fault, setFault] = useState(failure);
  const [isBusy, setBusy] = useState(false);
  const submit = (work: (given: Readonly<Record<string, string>>) => Promise<void>) => async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = Object.fromEntries([...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]));
    setBusy(true);
    setFault(undefined);
    try {
      await work(given);
    } catch (thrown) {
      setFault(messageOf(thrown));
    }
    setBusy(false);
  };
  const go = (next: Step): void => {
    setFault(undefined);
    setStep(next);
  };
  const mail = <Field label="Email" name="email" type="email" autoComplete="username" value={email} onChange={setEmail} />;
  return (
    <main className="sign-in">
      <h1>{settings.name}</h1>
      <p className="hint">
        {{ 'sign-in': 'Sign in to go on.', forgot: 'A new password', code: 'The code is in the mail that was sent to you.' }[step]}
      </p>
      {step === 'sign-in' && (
        <form aria-label="Sign in" onSubmit={submit(({ password = '' }) => signIn(email, password))}>
          {mail}
          <Field label="Password" name="password" type="password" autoComplete="current-password" />
          <Alert text={fault} />
          <button type="submit" className="primary" disabled={isBusy}>
            Sign in
          </button>
          {settings.providers.map((provider) => (
            <button key={provider} type="button" onClick={() => signInAt(provider).catch((thrown: unknown) => setFault(messageOf(thrown)))}>
              Continue with {provider}
            </button>
          ))}
          <Other onClick={() => go('forgot')}>Forgot password</Other>
        </form>
      )}
      {step === 'forgot' && (
        <form
          aria-label="Forgot password"
          onSubmit={submit(async () => {
            await authenticate('forgotPassword', { email });
            go('code');
          })}
        >
          {mail}
          <p className="hint">If there is such an account, a code is sent to its address.</p>
          <Alert text={fault} />
          <button type="submit" className="primary" disabled={isBusy}>
            Send the code
          </button>
          <Other onClick={() => go('sign-in')}>Back to sign in</Other>
        </form>
      )}
      {step === 'code' && (
        <form
          aria-label="New password"
          onSubmit={submit(async ({ confirmationCode = '', newPassword = '' }) => {
            await authenticate('confirmForgotPassword', { email, confirmationCode, newPassword });
            await signIn(email, newPassword);
          })}
        >
          {mail}
          <Field label="Code" name="confirmationCode" type="text" autoComplete="one-time-code" />
          <Field label="New password" name="newPassword" type="password" autoComplete="new-password" />
          <Alert text={fault} />
          <button type="submit" className="primary" disabled={isBusy}>
            Set the password
          </button>
          <Other onClick={() => go('sign-in')}>Back to sign in</Other>
        </form>
      )}
    </main>
  );
}

/** The session has ended while somebody was at work: over what they see, which stays. */
export function SignInAgain({ email }: { email: string }) {
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFault(undefined);
    try {
      const given = new FormData(event.currentTarget);
      await signIn(String(given.get('email')), String(given.get('password')));
    } catch (thrown) {
      setFault(messageOf(thrown));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Your session has ended" onClose={() => undefined}>
      <p>Sign in again to go on. What you typed is still here.</p>
      <form aria-label="Sign in" className="stacked" onSubmit={submit}>
        <Field label="Email" name="email" type="email" autoComplete="username" defaultValue={email} readOnly={email !== ''} />
        <Field label="Password" name="password" type="password" autoComplete="current-password" />
        <Alert text={fault} />
        <div className="buttons">
          <button type="submit" className="primary" disabled={isBusy}>
            Sign in
          </button>
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface FieldParts {
  readonly label: string;
  readonly name: string;
  readonly type: string;
  readonly autoComplete: string;
  readonly value?: string;
  readonly defaultValue?: string;
  readonly readOnly?: boolean;
  readonly onChange?: (text: string) => void;
}

function Field({ label, onChange, ...rest }: FieldParts) {
  return (
    <label>
      {label}
      <input {...rest} required onChange={(event) => onChange?.(event.target.value)} />
    </label>
  );
}

function Alert({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p role="alert" className="fault">
      {visible(text, 2000)}
    </p>
  );
}

/** Leads to another form of the same page. */
function Other({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <a
      href="/console"
      onClick={(event) => {
        event.preventDefault();
        onClick();
      }}
    >
      {children}
    </a>
  );
}
