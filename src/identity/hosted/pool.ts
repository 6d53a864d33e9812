// The API of a hosted user pool (Amazon Cognito), by its SDK, and what its refusals mean here. Large: loaded only where there is one.

import {
  AdminUserGlobalSignOutCommand,
  ChangePasswordCommand,
  CognitoIdentityProviderClient,
  ConfirmForgotPasswordCommand,
  ConfirmSignUpCommand,
  ForgotPasswordCommand,
  InitiateAuthCommand,
  ResendConfirmationCodeCommand,
  SignUpCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { error } from '../../errors.ts';
import type { TokenSet } from '../provider.ts';

export interface PoolSettings {
  readonly userPoolId: string;
  /** Of an application without a secret, with the flow USER_PASSWORD_AUTH. */
  readonly clientId: string;
  readonly region: string;
  /** In place of the address of the region. */
  readonly endpoint: string | undefined;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

/** What the pool had against it. */
export type Reason = 'credentials' | 'unknown' | 'code' | 'password' | 'exists' | 'parameter' | 'refused';

export class PoolRefusal extends Error {
  readonly reason: Reason;
  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

const reasons: Readonly<Record<string, Reason>> = {
  NotAuthorizedException: 'credentials',
  UserNotConfirmedException: 'credentials',
  PasswordResetRequiredException: 'credentials',
  UserNotFoundException: 'unknown',
  CodeMismatchException: 'code',
  ExpiredCodeException: 'code',
  InvalidPasswordException: 'password',
  PasswordHistoryPolicyViolationException: 'password',
  UsernameExistsException: 'exists',
  AliasExistsException: 'exists',
  InvalidParameterException: 'parameter',
  UserLambdaValidationException: 'refused',
  ForbiddenException: 'refused',
};

const tooMany: ReadonlySet<string> = new Set([
  'LimitExceededException',
  'TooManyRequestsException',
  'TooManyFailedAttemptsException',
  'ThrottlingException',
]);

/** Seconds after which a pool that has had enough is asked again. */
const pause = 30;
const timeouts = { connectionTimeout: 3000, requestTimeout: 5000, throwOnRequestTimeout: true } as const;

export class Pool {
  readonly #client: CognitoIdentityProviderClient;
  readonly #settings: PoolSettings;

  constructor(settings: PoolSettings) {
    const { region, endpoint, credentials } = settings;
    this.#settings = settings;
    this.#client = new CognitoIdentityProviderClient({
      region,
      ...(endpoint === undefined ? {} : { endpoint }),
      // Nothing is looked for on the machine: what the requests of users need is signed by nobody.
      credentials:
        credentials ?? (() => Promise.reject(new Error('neither CLOUD_ACCESS_KEY_ID nor CLOUD_SECRET_ACCESS_KEY may be missing for this'))),
      maxAttempts: 2,
      requestHandler: timeouts,
    });
  }

  /** Whether the user can log in at once. */
  async signUp(email: string, password: string, attributes: Readonly<Record<string, string>>): Promise<boolean> {
    const command = new SignUpCommand({
      ClientId: this.#settings.clientId,
      Username: email,
      Password: password,
      UserAttributes: Object.entries({ email, ...attributes }).map(([Name, Value]) => ({ Name, Value })),
    });
    return (await this.#sent(() => this.#client.send(command))).UserConfirmed === true;
  }

  async confirmSignUp(email: string, code: string): Promise<void> {
    const command = new ConfirmSignUpCommand({ ...this.#user(email), ConfirmationCode: code });
    await this.#sent(() => this.#client.send(command));
  }

  async login(email: string, password: string): Promise<TokenSet> {
    const tokens = await this.#authenticated('USER_PASSWORD_AUTH', { USERNAME: email, PASSWORD: password });
    if (tokens.refreshToken === '') throw error('identity-unavailable', {}, new Error('the user pool gave no refresh token'));
    return tokens;
  }

  /** The same token goes on being the one to refresh with. */
  async refresh(token: string): Promise<TokenSet> {
    const tokens = await this.#authenticated('REFRESH_TOKEN_AUTH', { REFRESH_TOKEN: token });
    return tokens.refreshToken === '' ? { ...tokens, refreshToken: token } : tokens;
  }

  async forgotPassword(email: string): Promise<void> {
    const command = new ForgotPasswordCommand(this.#user(email));
    await this.#sent(() => this.#client.send(command));
  }

  async confirmForgotPassword(email: string, code: string, password: string): Promise<void> {
    const command = new ConfirmForgotPasswordCommand({ ...this.#user(email), ConfirmationCode: code, Password: password });
    await this.#sent(() => this.#client.send(command));
  }

  async resendCode(email: string): Promise<void> {
    const command = new ResendConfirmationCodeCommand(this.#user(email));
    await this.#sent(() => this.#client.send(command));
  }

  async changePassword(accessToken: string, previous: string, next: string): Promise<void> {
    const command = new ChangePasswordCommand({ AccessToken: accessToken, PreviousPassword: previous, ProposedPassword: next });
    await this.#sent(() => this.#client.send(command));
  }

  /** Ends what the pool itself still takes for sessions; without credentials only this service refuses them. */
  async signOutEverywhere(email: string): Promise<void> {
    if (this.#settings.credentials === undefined) return;
    const command = new AdminUserGlobalSignOutCommand({ UserPoolId: this.#settings.userPoolId, Username: email });
    await this.#sent(() => this.#client.send(command));
  }

  close(): void {
    this.#client.destroy();
  }

  async #authenticated(flow: 'USER_PASSWORD_AUTH' | 'REFRESH_TOKEN_AUTH', parameters: Record<string, string>): Promise<TokenSet> {
    const command = new InitiateAuthCommand({ AuthFlow: flow, ClientId: this.#settings.clientId, AuthParameters: parameters });
    const { AuthenticationResult: found, ChallengeName: challenge } = await this.#sent(() => this.#client.send(command));
    // A second factor, or a password that has to be set first, has no place in a login of this service.
    if (found === undefined) throw new PoolRefusal('credentials', `the user pool asks for ${challenge}`);
    const { IdToken: idToken, AccessToken: accessToken, RefreshToken: refreshToken = '', ExpiresIn: expiresIn = 3600 } = found;
    if (idToken === undefined || accessToken === undefined)
      throw error('identity-unavailable', {}, new Error('the user pool gave no tokens'));
    return { idToken, accessToken, refreshToken, expiresIn };
  }

  #user(email: string): { readonly ClientId: string; readonly Username: string } {
    return { ClientId: this.#settings.clientId, Username: email };
  }

  async #sent<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (thrown) {
      const name = thrown instanceof Error ? thrown.name : '';
      const message = thrown instanceof Error ? thrown.message : '';
      const reason = Object.hasOwn(reasons, name) ? reasons[name] : undefined;
      if (reason !== undefined) throw new PoolRefusal(reason, message);
      if (tooMany.has(name)) throw error('too-many-requests', { retryAfter: pause });
      throw error('identity-unavailable', { retryAfter: 5 }, new Error(`the user pool did not answer as expected: ${name} ${message}`));
    }
  }
}
