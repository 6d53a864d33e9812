// Stands for the other system: it keeps users, and does one event.

const users = new Map();

export function create(user) {
  users.set(user.email, user);
  return user;
}

export function remove(user) {
  users.delete(user.email);
  return user;
}

/** All of them: the service asks all conditions of the answer itself. */
export function query() {
  return [...users.values()];
}

export function multiply({ x }) {
  return { 'ext.core/ExternalResult': { y: x * 100 } };
}
