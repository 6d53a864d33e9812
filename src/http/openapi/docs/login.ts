// Where authentication is on, the page of the API asks who reads it: the description needs a token, and so do the calls that are tried there.

/** How the page logs in on each surface. */
const logins = {
  current: { path: '/platform.auth/login', body: '{ email, password }' },
  earlier: { path: '/login', body: `{ 'Platform.Kernel.Identity/UserLogin': { Username: email, Password: password } }` },
} as const;

/** What the page shows first. Before its script is there, nothing can be sent. */
export const loginForm = `<form id="login">
      <h1>Log in to see the API</h1>
      <label>E-mail <input name="email" type="email" autocomplete="username"></label>
      <label>Password <input name="password" type="password" autocomplete="current-password"></label>
      <label>or a token, or an API key <input name="token" type="password" autocomplete="off"></label>
      <button disabled>Log in</button>
      <p role="alert"></p>
    </form>
    <div id="reference"></div>`;

export const loginStyle =
  '#login{font:1rem/1.5 system-ui,sans-serif;margin:15vh auto;max-width:22rem;padding:0 1rem}#login h1{font-size:1.25rem}#login label{display:block;margin:.75rem 0}#login input{box-sizing:border-box;display:block;font:inherit;padding:.4rem;width:100%}#login button{font:inherit;padding:.5rem 2rem}';

/** The token is kept by the page alone, and forgotten with it. */
export function loginScript(surface: 'current' | 'earlier', configuration: Readonly<Record<string, unknown>>): string {
  const { path, body } = logins[surface];
  const { url, ...shown } = configuration;
  return `const form = document.getElementById('login');
const line = form.querySelector('p');
const tokenOf = async ({ email, password, token }) => {
  if (token !== '') return token;
  const answer = await window.fetch('${path}', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(${body}),
  });
  if (answer.status === 429) throw new Error('Too many failures; try again in ' + answer.headers.get('retry-after') + ' seconds.');
  if (!answer.ok) throw new Error('These credentials are not valid.');
  return (await answer.json())['id-token'];
};
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  line.textContent = '';
  try {
    const token = await tokenOf(Object.fromEntries(new FormData(form)));
    const answer = await window.fetch(${JSON.stringify(url)}, { headers: { authorization: 'Bearer ' + token } });
    if (!answer.ok) throw new Error('This token is not valid.');
    const content = await answer.json();
    form.remove();
    const authentication = { preferredSecurityScheme: 'bearer', securitySchemes: { bearer: { token } } };
    Scalar.createApiReference('#reference', { ...${JSON.stringify(shown)}, content, authentication });
  } catch (thrown) {
    line.textContent = thrown.message;
  }
});
form.querySelector('button').disabled = false;
`;
}
