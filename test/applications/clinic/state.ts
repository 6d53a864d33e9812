// What the clinic keeps, in plain data that is never changed: each operation gives another state.

export type Values = Readonly<Record<string, unknown>>;

export interface Person {
  readonly name: string;
  readonly email: string;
  readonly isAdmin?: boolean;
  /** Whether the service knows that the address is theirs: a user made by an admin, and none who signed up without a mail. */
  readonly isVerified: boolean;
}

/** A user as the service knows them: `auth.id`, and the roles. */
export interface Account {
  readonly id: string;
  readonly roles: readonly string[];
}

export const types = [
  'Clinic',
  'Staff',
  'Customer',
  'Animal',
  'Appointment',
  'Drug',
  'Stock',
  'Treatment',
  'Note',
  'Invoice',
  'Line',
] as const;
export type Type = (typeof types)[number];

/** What a type is identified by; lines also by their invoice. */
export const identifiers: Readonly<Record<Type, string>> = {
  Clinic: 'code',
  Staff: 'id',
  Customer: 'id',
  Animal: 'id',
  Appointment: 'id',
  Drug: 'code',
  Stock: 'id',
  Treatment: 'id',
  Note: 'id',
  Invoice: 'appointment',
  Line: 'no',
};

/** Attributes that name an instance. */
export const references: Readonly<Partial<Record<Type, Readonly<Record<string, Type>>>>> = {
  Staff: { clinic: 'Clinic' },
  Customer: { clinic: 'Clinic' },
  Animal: { keeper: 'Customer' },
  Appointment: { animal: 'Animal', clinic: 'Clinic', vet: 'Staff' },
  Stock: { clinic: 'Clinic', drug: 'Drug' },
  Treatment: { appointment: 'Appointment', drug: 'Drug' },
  Note: { animal: 'Animal' },
};

type Rows = ReadonlyMap<string, Values>;

export interface State {
  /** By type, then by key: the identifier, of a line that of its invoice before it. */
  readonly rows: Readonly<Record<Type, Rows>>;
  /** By e-mail address. */
  readonly accounts: ReadonlyMap<string, Account>;
  /** Invoices that the accountants are told of, with the amount. */
  readonly told: ReadonlyMap<string, string>;
}

export const empty: State = {
  rows: {
    Clinic: new Map(),
    Staff: new Map(),
    Customer: new Map(),
    Animal: new Map(),
    Appointment: new Map(),
    Drug: new Map(),
    Stock: new Map(),
    Treatment: new Map(),
    Note: new Map(),
    Invoice: new Map(),
    Line: new Map(),
  },
  accounts: new Map(),
  told: new Map(),
};

export function keyOf(type: Type, row: Values): string {
  return type === 'Line' ? `${row['invoice']}/${row['no']}` : String(row[identifiers[type]]);
}

export function withRow(state: State, type: Type, row: Values): State {
  return { ...state, rows: { ...state.rows, [type]: new Map(state.rows[type]).set(keyOf(type, row), row) } };
}

export function withoutRow(state: State, type: Type, key: string): State {
  const rows = new Map(state.rows[type]);
  rows.delete(key);
  return { ...state, rows: { ...state.rows, [type]: rows } };
}

export function find(state: State, type: Type, key: unknown): Values | undefined {
  return state.rows[type].get(String(key));
}

export function all(state: State, type: Type): readonly Values[] {
  return [...state.rows[type].values()];
}
