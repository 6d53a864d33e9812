// A hosted user pool beyond the contract: who is mirrored and admin, what ends a session, and what its refusals become.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';
import { bearerOf, clientOf, password } from './accounts.ts';
import { type CognitoServer, cognitoServer, type StubPool, stubPool } from './peers/cognito.ts';

const model = `module m
entity Post { id Int @id }
entity Seen { email String @id }
workflow platform.auth/PostSignUp { {Seen {email PostSignUp.signupRequest.user.email}} }
`;

describe('against cognito-local', () => {
  let cognito: CognitoServer;
  beforeAll(async () => {
    cognito = await cognitoServer();
  });
  afterAll(() => cognito.stop());

  test('a user is mirrored at the first login, with a verified e-mail only, and PostSignUp has run once', async () => {
    const pool = await cognito.pool();
    const served = await serve(model, { auth: { hosted: pool.settings, superuser: { email: 'root@example.com', password: undefined } } });
    const client = clientOf(served, 'current');
    await client.signUp({ email: 'ann@example.com', password });
    await client.confirm('ann@example.com', pool.code);
    expect((await client.login('ann@example.com', password)).status).toBe(401);
    await pool.verify('ann@example.com');
    for (const _ of [1, 2]) expect((await client.login('ann@example.com', password)).status).toBe(200);
    const login = await client.login('ann@example.com', password);
    expect((await served.get('/m/Seen', bearerOf(login))).body).toEqual([{ email: 'ann@example.com' }]);
    expect(await served.kept.rows('SELECT * FROM __platform_subjects')).toHaveLength(1);
    expect(served.failures).toEqual([]);
  });

  test('who is in the group admin is admin, as long as the pool says so', async () => {
    const pool = await cognito.pool();
    const served = await serve(model, { auth: { hosted: pool.settings } });
    const client = clientOf(served, 'current');
    await client.signUp({ email: 'ann@example.com', password });
    await client.confirm('ann@example.com', pool.code);
    await pool.verify('ann@example.com');
    const roles = async () => {
      const login = await client.login('ann@example.com', password);
      const users = await served.get('/platform.auth/User', bearerOf(login));
      return [Object((await served.get('/platform.auth/me', bearerOf(login))).body).roles, Object(users.body).length];
    };
    expect(await roles()).toEqual([[], 0]);
    await pool.join('ann@example.com', 'admin');
    expect(await roles()).toEqual([['admin'], 1]);
    await pool.leave('ann@example.com', 'admin');
    expect(await roles()).toEqual([[], 0]);
  });

  test('a pool that is down is 503 for logins, with a line in the log, and tokens that are known go on being taken', async () => {
    const other = await cognitoServer();
    const pool = await other.pool();
    const served = await serve(model, { auth: { hosted: pool.settings } });
    const client = clientOf(served, 'current');
    await client.signUp({ email: 'ann@example.com', password });
    await client.confirm('ann@example.com', pool.code);
    await pool.verify('ann@example.com');
    const login = await client.login('ann@example.com', password);
    await other.stop();
    const down = await client.login('ann@example.com', password);
    expect([down.status, Object(down.body).code]).toEqual([503, 'identity-unavailable']);
    expect((await client.forgot('ann@example.com')).status).toBe(503);
    expect((await served.get('/m/Post', bearerOf(login))).status).toBe(200);
    expect(served.failures.length).toBeGreaterThan(0);
    expect(JSON.stringify(served.failures.map(({ err }) => String(err)))).not.toContain(password);
  });
});

describe('against a stub that speaks as the documentation of the API says', () => {
  async function open(withCredentials = false): Promise<{ readonly pool: StubPool; readonly served: Served }> {
    const pool = await stubPool(withCredentials);
    return { pool, served: await serve(model, { auth: { hosted: pool.settings } }) };
  }

  async function tokensOf(pool: StubPool, claims: Readonly<Record<string, unknown>> = {}): Promise<object> {
    const AuthenticationResult = {
      IdToken: await pool.token(claims),
      AccessToken: await pool.token(claims, 'access'),
      RefreshToken: 'refresh-1',
      ExpiresIn: 3600,
      TokenType: 'Bearer',
    };
    return { AuthenticationResult, ChallengeParameters: {} };
  }

  const email = 'ann@example.com';
  const refusals: readonly (readonly [operation: string, path: string, body: object, said: string | number, expected: string])[] = [
    ['SignUp', 'signup', { email, password }, 'UsernameExistsException User already exists', '200'],
    ['SignUp', 'signup', { email, password }, 'InvalidPasswordException Password did not conform with policy', '422 attributes-invalid'],
    ['SignUp', 'signup', { email, password }, 'UserLambdaValidationException PreSignUp failed', '403 access-denied'],
    ['SignUp', 'signup', { email, password }, 'CodeDeliveryFailureException', '503 identity-unavailable'],
    ['ConfirmSignUp', 'confirmSignup', { email, confirmationCode: '1' }, 'ExpiredCodeException', '400 code-invalid'],
    ['ConfirmSignUp', 'confirmSignup', { email, confirmationCode: '1' }, 'UserNotFoundException', '400 code-invalid'],
    [
      'ConfirmSignUp',
      'confirmSignup',
      { email, confirmationCode: '1' },
      'NotAuthorizedException Current status is CONFIRMED',
      '400 code-invalid',
    ],
    ['ConfirmSignUp', 'confirmSignup', { email, confirmationCode: '1' }, 'TooManyFailedAttemptsException', '429 too-many-requests'],
    ['InitiateAuth', 'login', { email, password }, 'NotAuthorizedException Incorrect username or password.', '401 credentials-invalid'],
    ['InitiateAuth', 'login', { email, password }, 'UserNotFoundException', '401 credentials-invalid'],
    ['InitiateAuth', 'login', { email, password }, 'UserNotConfirmedException', '401 credentials-invalid'],
    ['InitiateAuth', 'login', { email, password }, 'PasswordResetRequiredException', '401 credentials-invalid'],
    [
      'InitiateAuth',
      'login',
      { email, password },
      'InvalidParameterException USER_PASSWORD_AUTH flow not enabled',
      '503 identity-unavailable',
    ],
    ['InitiateAuth', 'login', { email, password }, 'ResourceNotFoundException', '503 identity-unavailable'],
    ['InitiateAuth', 'login', { email, password }, 'LimitExceededException', '429 too-many-requests'],
    ['InitiateAuth', 'login', { email, password }, 500, '503 identity-unavailable'],
    ['InitiateAuth', 'refreshToken', { refreshToken: 'x' }, 'NotAuthorizedException Invalid Refresh Token', '401 credentials-invalid'],
    ['ForgotPassword', 'forgotPassword', { email }, 'UserNotFoundException', '200'],
    ['ForgotPassword', 'forgotPassword', { email }, 'InvalidParameterException no verified email', '200'],
    ['ForgotPassword', 'forgotPassword', { email }, 'LimitExceededException', '429 too-many-requests'],
    ['ResendConfirmationCode', 'resendConfirmationCode', { email }, 'UserNotFoundException', '200'],
    ['ResendConfirmationCode', 'resendConfirmationCode', { email }, 'InvalidParameterException User is already confirmed.', '200'],
    [
      'ConfirmForgotPassword',
      'confirmForgotPassword',
      { email, confirmationCode: '1', newPassword: password },
      'CodeMismatchException',
      '400 code-invalid',
    ],
    [
      'ConfirmForgotPassword',
      'confirmForgotPassword',
      { email, confirmationCode: '1', newPassword: password },
      'InvalidPasswordException',
      '422 attributes-invalid',
    ],
  ];

  for (const [operation, path, body, said, expected] of refusals) {
    test(`${said} of ${operation} is ${expected}`, async () => {
      const { pool, served } = await open();
      pool.says.set(operation, said);
      const answer = await served.post(`/platform.auth/${path}`, body);
      expect([answer.status, Object(answer.body).code].filter((each) => each !== undefined).join(' ')).toBe(expected);
      expect(answer.text).not.toContain('Exception');
    });
  }

  test('a code is sent again, and a login that the pool wants more for is refused with a line in the log', async () => {
    const { pool, served } = await open();
    expect((await served.post('/platform.auth/resendConfirmationCode', { email })).body).toEqual({ email });
    expect(pool.asked).toEqual([{ operation: 'ResendConfirmationCode', body: { ClientId: 'client', Username: email } }]);
    pool.says.set('InitiateAuth', { ChallengeName: 'SOFTWARE_TOKEN_MFA', Session: 's' });
    expect((await served.post('/platform.auth/login', { email, password })).status).toBe(401);
    expect(JSON.stringify(served.warnings)).toContain('SOFTWARE_TOKEN_MFA');
  });

  test('all tokens of one login end together, with its logout here, whatever the pool says of its refresh token', async () => {
    const { pool, served } = await open();
    pool.says.set('InitiateAuth', await tokensOf(pool));
    const login = await served.post('/platform.auth/login', { email, password });
    const later = { authorization: `Bearer ${await pool.token({ jti: 'later' })}` };
    expect((await served.get('/m/Post', later)).status).toBe(200);
    expect((await served.post('/platform.auth/logout', {}, bearerOf(login))).status).toBe(200);
    expect((await served.get('/m/Post', later)).status).toBe(401);
    expect((await served.get('/m/Post', { authorization: `Bearer ${await pool.token({})}` })).status).toBe(401);
    expect((await served.post('/platform.auth/refreshToken', { refreshToken: 'refresh-1' })).status).toBe(401);
    expect((await served.post('/platform.auth/refreshToken', { refreshToken: 'of elsewhere' })).status).toBe(401);
  });

  test('a changed password ends all sessions here, those that were never seen too, and in the pool where there are credentials', async () => {
    const { pool, served } = await open(true);
    const longAgo = Math.floor(Date.now() / 1000) - 60;
    pool.says.set('InitiateAuth', await tokensOf(pool));
    const login = await served.post('/platform.auth/login', { email, password });
    const change = { password, newPassword: 'another horse battery' };
    expect((await served.post('/platform.auth/changePassword', change, bearerOf(login))).status).toBe(200);
    expect(pool.asked.map(({ operation }) => operation)).toContain('AdminUserGlobalSignOut');
    const unseen = await pool.token({ origin_jti: 'login-2', auth_time: longAgo });
    for (const token of [Object(login.body)['id-token'], unseen])
      expect((await served.get('/m/Post', { authorization: `Bearer ${token}` })).status).toBe(401);
    pool.says.set('InitiateAuth', await tokensOf(pool, { origin_jti: 'login-3' }));
    const again = await served.post('/platform.auth/login', { email, password: change.newPassword });
    expect((await served.get('/m/Post', bearerOf(again))).status).toBe(200);
    expect(served.failures).toEqual([]);
  });

  const wrongTokens: readonly (readonly [title: string, claims: Readonly<Record<string, unknown>>, use?: 'access'])[] = [
    ['of another client', { aud: 'other' }],
    ['of another pool', { iss: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_other' }],
    ['that has expired', { exp: 1 }],
    ['without an end', { exp: undefined }],
    ['for another use', { token_use: 'access' }],
    ['whose e-mail is not verified', { email_verified: false }],
    ['without an e-mail', { email: undefined }],
    ['that is an access token', {}, 'access'],
  ];
  for (const [title, claims, use] of wrongTokens) {
    test(`a token ${title} is 401, and its user is not mirrored`, async () => {
      const { pool, served } = await open();
      const answer = await served.get('/m/Post', { authorization: `Bearer ${await pool.token(claims, use)}` });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
      expect(await served.kept.rows('SELECT * FROM __platform_subjects')).toEqual([]);
    });
  }

  test('a token that the pool gave out elsewhere is taken, and its user mirrored with roles', async () => {
    const { pool, served } = await open();
    const bearer = { authorization: `Bearer ${await pool.token({ 'cognito:groups': ['admin'], name: 'Ann' })}` };
    expect((await served.get('/platform.auth/me', bearer)).body).toEqual({ id: expect.any(String), email, name: 'Ann', roles: ['admin'] });
    expect((await served.get('/m/Seen', bearer)).body).toEqual([{ email }]);
  });

  test('while the keys of the pool cannot be read, nobody is told that a token is not valid', async () => {
    const { pool, served } = await open();
    pool.keysAre(false);
    const bearer = { authorization: `Bearer ${await pool.token({})}` };
    expect((await served.get('/m/Post', bearer)).status).toBe(503);
    pool.keysAre(true);
    expect((await served.get('/m/Post', bearer)).status).toBe(200);
  });
});

describe('a start is refused', () => {
  const settings = { userPoolId: 'eu-west-1_x', clientId: 'c', region: 'eu-west-1', endpoint: undefined, credentials: undefined };
  const third = { name: 'a', issuer: 'https://a.example.com', clientId: 'c', clientSecret: 's', scopes: [] };
  const cases: readonly (readonly [title: string, auth: object, message: RegExp])[] = [
    ['with half of a pool', { hosted: { ...settings, clientId: undefined } }, /IDP_USER_POOL_ID and IDP_CLIENT_ID/],
    ['with an unencrypted address', { hosted: { ...settings, endpoint: 'http://pool.example.com' } }, /IDP_ENDPOINT/],
    ['with third-party services besides', { hosted: settings, providers: [third] }, /give them to the user pool/],
  ];
  for (const [title, auth, message] of cases) {
    test(title, async () => {
      await expect(serve(model, { auth })).rejects.toThrow(message);
    });
  }
});
