const people = new Map(
  Array.from({ length: 1000 }, (_, index) => `a${index}@acme.com`).map((email) => [email, { email, name: 'Ann', team: 'one' }]),
);

export const find = ([, { where }]) => (where?.[0] === '=' ? [people.get(where[2])] : [...people.values()]);
export const findLater = async (query) => find(query);
