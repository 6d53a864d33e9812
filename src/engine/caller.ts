// Who asks: the service itself, somebody it does not know, a user, or an agent that works for one of these.

import type { AmbientCaller } from '../plan/query/ambient.ts';

/** Nobody but an agent works for another. */
export type Principal =
  /** Start-up statements, schedules and the service's own work: it may do everything. */
  | { readonly kind: 'system' }
  /** Whoever asks while authentication is off, or without a token where that is allowed. */
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'user';
      readonly email: string;
      /** Given to no other user, nor to a later one of the same address. */
      readonly id: string;
      readonly roles: readonly string[];
      /** What the user was known by, which ends with its session; never written down. Absent where it was an API key. */
      readonly token: string | undefined;
      /** Whether these are fewer roles than the user has: then what the user may do by another role is not allowed. */
      readonly narrowed?: boolean;
    };

/** Who has asked, themselves or by an agent that works for them. */
export type Asker = Principal | { readonly kind: 'agent'; readonly run: string; readonly onBehalfOf: Principal };

/** Logic of the model that runs as the system is still set off by somebody: `auth.user`, agents and the audit trail go by that one. */
export type Caller = Asker | { readonly kind: 'logic'; readonly asker: Asker };

export const system: Asker = Object.freeze({ kind: 'system' });
export const anonymous: Asker = Object.freeze({ kind: 'anonymous' });

/** The e-mail of the user who asks, or for whom an agent does: rights, owners and `auth.user` go by it. */
export function userOf(caller: Caller): string | undefined {
  const principal = principalOf(caller);
  return principal.kind === 'user' ? principal.email : undefined;
}

/** `auth.id`: what the user is told by from all others, those who come later included. */
export function userIdOf(caller: Caller): string | undefined {
  const principal = principalOf(caller);
  return principal.kind === 'user' ? principal.id : undefined;
}

/** Whom conditions of rules speak of. */
export function ambientCaller(caller: Caller): AmbientCaller {
  return { user: userOf(caller), id: userIdOf(caller), roles: rolesOf(caller) };
}

export function rolesOf(caller: Caller): readonly string[] {
  const principal = principalOf(caller);
  return principal.kind === 'user' ? principal.roles : [];
}

/** Whether the caller does without this role, whatever roles the user has. */
export function isNarrowedFrom(caller: Caller, role: string): boolean {
  const principal = principalOf(caller);
  return principal.kind === 'user' && principal.narrowed === true && !principal.roles.includes(role);
}

/** Whether the caller does without some of the roles that the user has. */
export function isNarrowed(caller: Caller): boolean {
  const principal = principalOf(caller);
  return principal.kind === 'user' && principal.narrowed === true;
}

export function askerOf(caller: Caller): Asker {
  return caller.kind === 'logic' ? caller.asker : caller;
}

export function principalOf(caller: Caller): Principal {
  const asker = askerOf(caller);
  return asker.kind === 'agent' ? asker.onBehalfOf : asker;
}

/** The run of the agent that asks. */
export function runOf(caller: Caller): string | undefined {
  const asker = askerOf(caller);
  return asker.kind === 'agent' ? asker.run : undefined;
}

/** Whether it may do everything, whoever has set it off. */
export function isSystem({ kind }: Caller): boolean {
  return kind === 'system' || kind === 'logic';
}
