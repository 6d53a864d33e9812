// Stands for a directory of people in another system: two of them are known, whoever is added is there until the process ends.

const people = new Map(
  [
    { email: 'ann@example.com', name: 'Ann', team: 'tools' },
    { email: 'bob@example.com', name: 'Bob', team: 'shop' },
  ].map((each) => [each.email, each]),
);

export function add(person) {
  people.set(person.email, person);
  return person;
}

export const change = add;

export function remove(person) {
  people.delete(person.email);
  return person;
}

/** All of them: the service asks all conditions of the answer itself. */
export function find() {
  return [...people.values()];
}
