// The page that a link in a mail leads to. Opening it does nothing: only its button sends the code, so that a program that follows links confirms nobody.

import { createHash } from 'node:crypto';
import type { HttpResponse } from '../exchange.ts';

const paths = {
  current: { path: '/platform.auth/confirmSignup', body: '{ email, confirmationCode }' },
  earlier: {
    path: '/confirm-sign-up',
    body: `{ 'Platform.Kernel.Identity/ConfirmSignUp': { Username: email, ConfirmationCode: confirmationCode } }`,
  },
} as const;

export function confirmationPage(surfaces: readonly ('current' | 'earlier')[]): HttpResponse {
  const { path, body } = paths[surfaces.includes('current') ? 'current' : 'earlier'];
  const script = `
const [email, confirmationCode] = location.hash.slice(1).split(',').map(decodeURIComponent);
const [button, line] = [document.querySelector('button'), document.querySelector('p')];
line.textContent = email ? 'Confirm ' + email + '?' : 'There is no code in this address.';
button.hidden = !email;
button.onclick = async () => {
  button.disabled = true;
  const answer = await window.fetch('${path}', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(${body}),
  }).catch(() => undefined);
  line.textContent = answer?.ok ? 'Your address is confirmed. You can log in now.' : 'The code is wrong, used or expired. Ask for a new one.';
  button.hidden = true;
};
`;
  const style =
    'body{font:1rem/1.5 system-ui,sans-serif;margin:15vh auto;max-width:30rem;padding:0 1rem;text-align:center}button{font:inherit;padding:.5rem 2rem}';
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>Confirm your address</title>
<style>${style}</style>
<main><p></p><button hidden>Confirm</button></main>
<script>${script}</script>
</html>
`;
  const policy = `default-src 'none'; connect-src 'self'; style-src '${digest(style)}'; script-src '${digest(script)}'; frame-ancestors 'none'`;
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
    },
    body: html,
  };
}

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
