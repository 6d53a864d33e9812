// The superuser of the environment, as a process is started with it, on both surfaces.

import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt, launch, type Running, root } from '../cli/harness.ts';
import { places } from '../cli/places.ts';
import { sampled } from '../support/form.ts';

beforeAll(ensureBuilt);

const { open, started } = places();

const surfaces = {
  current: { 'src/core.al': 'module shop\nentity Item { name String @id }\n', 'config.al': '{"auth": {"enabled": true}}' },
  earlier: {
    'model.platform': '{:name :Shop :version "1.0.0" :platform-version "current" :components [:Shop]}',
    'shop.platform': '(component :Shop)\n(entity :Shop/Item {:Name {:type :String :guid true}})\n',
    'config.edn': '{:authentication {:enabled true}}',
  },
} as const;

const email = 'root@example.com';

function start(folder: string, env: Readonly<Record<string, string>>): Running {
  return started(launch([`${root}/bin/platform.js`, 'run', '--port', '0'], { folder, env: { PLATFORM_SUPERUSER_EMAIL: email, ...env } }));
}

async function addressOf(service: Running): Promise<string> {
  return (await service.until(/(http:\/\/127\.0\.0\.1:\d+)/))[1] ?? '';
}

async function login(address: string, surface: 'current' | 'earlier', password: string): Promise<number> {
  const [path, body] =
    surface === 'current'
      ? ['/platform.auth/login', { email, password }]
      : ['/login', { 'Platform.Kernel.Identity/UserLogin': { Username: email, Password: password } }];
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

describe.each(['current', 'earlier'] as const)('on the %s surface', (surface) => {
  const refused: readonly [title: string, env: Readonly<Record<string, string>>, line: RegExp][] = [
    ['without a password', {}, /PLATFORM_SUPERUSER_EMAIL is set without PLATFORM_SUPERUSER_PASSWORD: set both, or neither/],
    ['with an empty password', { PLATFORM_SUPERUSER_PASSWORD: '' }, /PLATFORM_SUPERUSER_EMAIL is set without PLATFORM_SUPERUSER_PASSWORD/],
    [
      'with a short password, in production',
      { PLATFORM_SUPERUSER_PASSWORD: 'short', NODE_ENV: 'production' },
      /PLATFORM_SUPERUSER_PASSWORD must have 8 characters/,
    ],
    [
      'with a common password, in production',
      { PLATFORM_SUPERUSER_PASSWORD: 'password123', NODE_ENV: 'production' },
      /PLATFORM_SUPERUSER_PASSWORD is one of those that are tried first/,
    ],
  ];
  // A start is refused before it matters which surface is served: the short form tries one of them on the other, too.
  test.each(surface === 'current' ? refused : sampled(refused, refused.length))(
    'a start %s is refused with a clear line',
    async (_, env, line) => {
      const service = start(open(surfaces[surface]).folder, env);
      expect(await service.exit).toBe(1);
      expect(service.said()).toMatch(line);
      // One line for people, and no stack.
      expect(service.said()).not.toMatch(/\n\s+at |password123/);
    },
  );

  test('a weak password is warned about loudly, and works', async () => {
    const service = start(open(surfaces[surface]).folder, { PLATFORM_SUPERUSER_PASSWORD: 'password123' });
    const address = await addressOf(service);
    await service.until(/PLATFORM_SUPERUSER_PASSWORD is one of those that are tried first.*everybody who guesses it can do everything/);
    expect(service.said()).not.toContain('password123');
    expect(await login(address, surface, 'password123')).toBe(200);
  });

  test('a second start with another password, or none, changes nothing', async () => {
    const { folder } = open(surfaces[surface]);
    const [first, second] = ['the first long password', 'another long password'];
    for (const given of [{ PLATFORM_SUPERUSER_PASSWORD: first }, { PLATFORM_SUPERUSER_PASSWORD: second }, {}]) {
      const service = start(folder, given);
      const address = await addressOf(service);
      expect([await login(address, surface, first), await login(address, surface, second)]).toEqual([200, 401]);
      service.child.kill('SIGTERM');
      expect(await service.exit).toBe(0);
    }
  });
});
