// The list `auth.providers`: what each entry holds, and a diagnostic at its place for everything that does not fit.

import type { ThirdPartySettings } from '../../identity/identity.ts';
import type { ConfigEntry, ConfigFault, ConfigValue, Setting } from '../setting.ts';
import { entriesOf, textOf, unknownKey, wrong } from './values.ts';

const needed = ['name', 'issuer', 'clientId', 'clientSecret'] as const;
const known: readonly string[] = [...needed, 'scopes'];
/** Without `openid` it would be no sign-in, and without `email` nobody would be known here. */
const standardScopes = ['openid', 'email', 'profile'];

export const providersRow: Setting<readonly ThirdPartySettings[]> = {
  key: 'auth.providers',
  earlier: 'authentication.providers',
  type: 'a list of `{name, issuer, clientId, clientSecret, scopes?}`',
  default: [],
  description:
    'Third-party sign-in with OpenID Connect ([identity-providers.md](identity-providers.md)); in `config.edn` `:client-id` and `:client-secret`.',
  read: (value) => (value.kind === 'list' ? { value: value.items.flatMap(providerOf) } : undefined),
  faults: (value) => (value.kind === 'list' ? [...value.items.flatMap(faultsOf), ...sameNames(value.items)] : []),
};

/** Of an entry without faults. */
function providerOf(item: ConfigValue): readonly ThirdPartySettings[] {
  const entries = entriesOf(item);
  const text = (key: string): string => textOf(entries.get(key)?.value) ?? '';
  const scopes = entries.get('scopes')?.value;
  const further = scopes?.kind === 'list' ? scopes.items.flatMap((each) => textOf(each) ?? []) : [];
  return [
    {
      name: text('name'),
      issuer: text('issuer'),
      clientId: text('clientId'),
      clientSecret: text('clientSecret'),
      scopes: [...new Set(['openid', 'email', ...(scopes === undefined ? standardScopes : further)])],
    },
  ];
}

function faultsOf(item: ConfigValue): readonly ConfigFault[] {
  if (item.kind !== 'map') return [wrong(item.span, 'a provider of auth.providers must be a map')];
  const entries = entriesOf(item);
  const unknown = [...entries].filter(([key]) => !known.includes(key));
  const missing = needed.filter((key) => !entries.has(key));
  return [
    ...unknown.map(([key, entry]) => unknownKey(`auth.providers.${key}`, entry, known)),
    ...missing.map((key) => wrong(item.span, `a provider of auth.providers needs ${key}`)),
    ...[...entries].flatMap(([key, entry]) => valueFaults(key, entry)),
  ];
}

const rules: Readonly<Record<string, readonly [expected: string, fits: (value: ConfigValue) => boolean]>> = {
  name: ['a name of letters, digits, "-" and "_"', (value) => /^[\w-]{1,64}$/.test(textOf(value) ?? '')],
  issuer: ['an address such as "https://accounts.example.com"; plain http only on this machine', (value) => isIssuer(textOf(value) ?? '')],
  clientId: ['a text', (value) => (textOf(value) ?? '') !== ''],
  clientSecret: ['a text', (value) => (textOf(value) ?? '') !== ''],
  scopes: ['a list of texts', (value) => value.kind === 'list' && value.items.every((each) => /^[!#-[\]-~]+$/.test(textOf(each) ?? ''))],
};

function valueFaults(key: string, { value }: ConfigEntry): readonly ConfigFault[] {
  const [expected, fits] = rules[key] ?? ['', () => true];
  return fits(value) ? [] : [wrong(value.span, `auth.providers.${key} must be ${expected}`)];
}

function sameNames(items: readonly ConfigValue[]): readonly ConfigFault[] {
  const names = items.flatMap((item) => entriesOf(item).get('name')?.value ?? []);
  return names.flatMap((each, index) => {
    const isSecond = names.slice(0, index).some((other) => textOf(other) === textOf(each));
    return isSecond ? [wrong(each.span, `two providers of auth.providers are called "${textOf(each)}"`)] : [];
  });
}

function isIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && url.search === '' && url.hash === '' && url.username === '' && isSafe(url);
}

/** Encrypted, or not further than this machine. */
function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host);
}

/** Where a browser may be sent after a sign-in: exactly these, so nothing is left to be made up by whoever asks. */
export function redirectOf(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || given.length > 1024 || url.hash !== '' || url.username !== '' || /[\s\\]/.test(given)) return undefined;
  // A scheme of an application's own has the form of a domain name: `com.example.shop:/signed-in`.
  return isSafe(url) || /^[a-z][a-z\d+-]*(\.[a-z\d+-]+)+:$/.test(url.protocol) ? given : undefined;
}

/** Of pages that may call the service from a browser. */
export function originOf(given: string): string | undefined {
  return given === '*' || /^https?:\/\/[^\s/?#]+$/.test(given) ? given : undefined;
}

/** By the one name that other services know this machine under, in a browser too. */
export function localAddress(address: string): string {
  const url = new URL(address);
  url.hostname = 'localhost';
  return url.origin;
}
