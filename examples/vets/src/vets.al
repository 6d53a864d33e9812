module vets

entity Clinic {
  id Int @id,
  name String
}

// Who works where: an instance describes the user who has its e-mail.
entity Staff {
  id Int @id,
  email Email,
  clinic Int @ref(Clinic.id),
  level Int @default(1),
  @profile(email),
  @rbac [(roles: [vet], allow: [read])]
}

entity Animal {
  id Int @id,
  name String,
  keeper String @indexed,
  clinic Int @ref(Clinic.id),
  @rbac [
    (roles: [*], allow: [read], where: this.keeper = auth.id),
    (roles: [vet], allow: [create, read, update], where: auth.Staff.clinic = this.clinic)
  ]
}

entity Visit {
  id Int @id,
  animal Int @ref(Animal.id),
  day Date,
  text String @optional,
  author String @optional @indexed,
  @rbac [
    (roles: [*], allow: [read], where: this.animal.keeper == auth.id and this.day <= today()),
    (
      roles: [vet],
      allow: [create, read],
      where: auth.Staff.clinic == this.animal.clinic and auth.Staff.level >= 2
    ),
    (roles: [vet], allow: [update], where: this.author = auth.id)
  ]
}
