// The rules of the clinic in plain code: who reads which row and which of its attributes, and who makes and changes what.

import { all, find, type Person, type State, type Type, type Values } from './state.ts';

export function idOf(person: Person, state: State): string | undefined {
  return state.accounts.get(person.email)?.id;
}

/** `auth.Staff`: the row with the caller's address, where the service knows that the address is the caller's. */
export function staffOf(person: Person, state: State): Values | undefined {
  return person.isVerified ? all(state, 'Staff').find(({ email }) => email === person.email) : undefined;
}

function worksAt(person: Person, state: State, clinic: unknown): boolean {
  return clinic !== undefined && staffOf(person, state)?.['clinic'] === clinic;
}

function hasJob(person: Person, state: State, job: string): boolean {
  return staffOf(person, state)?.['job'] === job;
}

function hasRole(person: Person, state: State, role: string): boolean {
  return state.accounts.get(person.email)?.roles.includes(role) === true;
}

function customerOf(state: State, animal: unknown): Values | undefined {
  return find(state, 'Customer', find(state, 'Animal', animal)?.['keeper']);
}

function isKeeper(person: Person, state: State, animal: unknown): boolean {
  const user = customerOf(state, animal)?.['user'];
  return user !== undefined && user === idOf(person, state);
}

/** An appointment is its customer's, and its clinic's. */
function concerns(person: Person, state: State, appointment: unknown): boolean {
  const row = find(state, 'Appointment', appointment);
  return row !== undefined && (isKeeper(person, state, row['animal']) || worksAt(person, state, row['clinic']));
}

export function mayRead(person: Person, state: State, type: Type, row: Values): boolean {
  if (person.isAdmin === true) return true;
  switch (type) {
    case 'Clinic':
    case 'Staff':
    case 'Drug':
      return true;
    case 'Customer':
      return row['user'] === idOf(person, state) || worksAt(person, state, row['clinic']);
    case 'Animal': {
      const keeper = find(state, 'Customer', row['keeper']);
      return keeper !== undefined && mayRead(person, state, 'Customer', keeper);
    }
    case 'Appointment':
      return isKeeper(person, state, row['animal']) || worksAt(person, state, row['clinic']);
    case 'Stock':
      return worksAt(person, state, row['clinic']);
    case 'Treatment':
    case 'Invoice':
      return concerns(person, state, row['appointment']);
    case 'Line':
      return concerns(person, state, row['invoice']);
    case 'Note':
      return worksAt(person, state, customerOf(state, row['animal'])?.['clinic']);
  }
}

/** Attributes that are not in the answer. */
export function hidden(person: Person, state: State, type: Type, row: Values): readonly string[] {
  if (person.isAdmin === true) return [];
  if (type === 'Drug') return hasRole(person, state, 'buyer') ? [] : ['cost'];
  if (type !== 'Staff') return [];
  const isColleague = worksAt(person, state, row['clinic']);
  return [...(isColleague ? [] : ['email']), ...(isColleague && hasJob(person, state, 'manager') ? [] : ['salary'])];
}

/** Attributes that could be shown in no row: to ask for them is to ask for what does not exist. */
export function unknown(person: Person, state: State, type: Type): readonly string[] {
  return type === 'Drug' && person.isAdmin !== true && !hasRole(person, state, 'buyer') ? ['cost'] : [];
}

export function mayCreate(person: Person, state: State, type: Type, row: Values): boolean {
  if (person.isAdmin === true) return true;
  switch (type) {
    case 'Customer':
      return row['user'] === idOf(person, state);
    case 'Animal':
      return find(state, 'Customer', row['keeper'])?.['user'] === idOf(person, state);
    case 'Appointment':
      return mayRead(person, state, 'Appointment', row);
    case 'Drug':
      return hasRole(person, state, 'buyer');
    case 'Stock':
      return worksAt(person, state, row['clinic']);
    case 'Treatment':
      return worksAt(person, state, find(state, 'Appointment', row['appointment'])?.['clinic']) && hasJob(person, state, 'vet');
    case 'Note':
      return mayRead(person, state, 'Note', row);
    case 'Clinic':
    case 'Staff':
    case 'Invoice':
    case 'Line':
      return false;
  }
}

/** By the rule of the row, which must hold before and after. */
export function mayUpdate(person: Person, state: State, type: Type, row: Values): boolean {
  if (person.isAdmin === true) return true;
  switch (type) {
    case 'Staff':
      return worksAt(person, state, row['clinic']) && hasJob(person, state, 'manager');
    case 'Customer':
    case 'Animal':
    case 'Stock':
      return mayRead(person, state, type, row);
    case 'Appointment':
      return worksAt(person, state, row['clinic']);
    case 'Drug':
      return hasRole(person, state, 'buyer');
    case 'Note':
      return row['author'] === idOf(person, state) && mayRead(person, state, 'Note', row);
    case 'Invoice':
      return worksAt(person, state, find(state, 'Appointment', row['appointment'])?.['clinic']) && hasJob(person, state, 'receptionist');
    case 'Clinic':
    case 'Treatment':
    case 'Line':
      return false;
  }
}

/** Attributes that the caller may not change in a row that they may change. */
export function fixed(person: Person, type: Type): readonly string[] {
  return type === 'Staff' && person.isAdmin !== true ? ['email', 'clinic', 'job'] : [];
}

/** Whoever makes a customer owns it; notes are deleted by those who change them; nothing else is deleted but by admin. */
export function mayDelete(person: Person, state: State, type: Type, row: Values): boolean {
  if (person.isAdmin === true) return true;
  if (type === 'Customer') return row['user'] === idOf(person, state);
  return type === 'Note' && mayUpdate(person, state, type, row);
}
