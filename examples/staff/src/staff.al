module staff

entity Shift {
  id Int @id,
  day Date
}

relationship OnShift between(Shift, people/Person)

event assign {
  email Email,
  shift Int
}

workflow assign {
  {people/Person {email? assign.email}} @as [person];
  {OnShift {Shift assign.shift, Person person.email}}
}
