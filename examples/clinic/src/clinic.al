module clinic

import "accounting.ts" @as accounting @external

// A practice with several clinics. Whoever is signed in knows where they are.
entity Clinic {
  code String @id,
  name String,
  @rbac [(roles: [*], allow: [read])]
}

// Who works where. The user with this address is meant by auth.Staff: whoever leaves is left without one, and has no rights from then on.
entity Staff {
  id String @id,
  email Email @optional @unique @rbac [
    (roles: [*], allow: [read], where: auth.Staff.clinic = this.clinic)
  ],
  name String,
  clinic String @ref(Clinic.code) @rbac [(roles: [*], allow: [read])],
  job @enum("vet", "receptionist", "manager") @rbac [(roles: [*], allow: [read])],
  salary Decimal @optional @rbac [
    (
      roles: [*],
      allow: [read, update],
      where: auth.Staff.clinic == this.clinic and auth.Staff.job == "manager"
    )
  ],
  @profile(email),
  @meta {"creatorOwns": false},
  @rbac [
    (roles: [*], allow: [read]),
    (
      roles: [*],
      allow: [update],
      where: auth.Staff.clinic == this.clinic and auth.Staff.job == "manager"
    )
  ]
}

// Whose animals are treated here. Customers make their own, by the event `register`.
entity Customer {
  id UUID @id @default(uuid()),
  user String @unique @readonly,
  name String,
  phone String @optional,
  clinic String @ref(Clinic.code),
  @rbac [
    (roles: [*], allow: [create, read, update], where: auth.id = this.user),
    (roles: [*], allow: [read, update], where: auth.Staff.clinic = this.clinic)
  ]
}

// One that is handed on to another customer is theirs, and no more of the one who made it.
entity Animal {
  id UUID @id @default(uuid()),
  name String,
  species @enum("dog", "cat", "bird"),
  keeper UUID @ref(Customer.id),
  @meta {"creatorOwns": false},
  @rbac [
    (roles: [*], allow: [create, read, update], where: auth.id = this.keeper.user),
    (roles: [*], allow: [read, update], where: auth.Staff.clinic = this.keeper.clinic)
  ]
}

entity Appointment {
  id UUID @id @default(uuid()),
  animal UUID @ref(Animal.id),
  clinic String @ref(Clinic.code),
  vet String @ref(Staff.id),
  starts DateTime @indexed,
  ends DateTime,
  state @enum("booked", "cancelled", "done") @default("booked"),
  reason String @optional,
  @meta {"creatorOwns": false},
  @rbac [
    (roles: [*], allow: [create, read], where: auth.id = this.animal.keeper.user),
    (roles: [*], allow: [create, read, update], where: auth.Staff.clinic = this.clinic)
  ]
}

// What a customer pays for something, anybody may know; what it costs the practice, only buyers.
entity Drug {
  code String @id,
  name String,
  price Decimal,
  cost Decimal @optional @rbac [(roles: [buyer], allow: [read, update])],
  @meta {"creatorOwns": false},
  @rbac [
    (roles: [*], allow: [read]),
    (roles: [buyer], allow: [create, update])
  ]
}

entity Stock {
  id UUID @id @default(uuid()),
  clinic String @ref(Clinic.code),
  drug String @ref(Drug.code),
  quantity Int,
  @with_unique(clinic, drug),
  @meta {"creatorOwns": false},
  @rbac [(roles: [*], allow: [create, read, update], where: auth.Staff.clinic = this.clinic)]
}

entity Treatment {
  id UUID @id @default(uuid()),
  appointment UUID @ref(Appointment.id),
  drug String @ref(Drug.code),
  quantity Int,
  @meta {"creatorOwns": false},
  @rbac [
    (
      roles: [*],
      allow: [create],
      where: auth.Staff.clinic == this.appointment.clinic and auth.Staff.job == "vet"
    ),
    (roles: [*], allow: [read], where: auth.Staff.clinic = this.appointment.clinic),
    (roles: [*], allow: [read], where: auth.id = this.appointment.animal.keeper.user)
  ]
}

// What those who treat an animal tell each other. Only the author changes a note, as long as they work there.
entity Note {
  id UUID @id @default(uuid()),
  animal UUID @ref(Animal.id),
  author String @optional @readonly,
  text String,
  @meta {"creatorOwns": false},
  @rbac [
    (roles: [*], allow: [create, read], where: auth.Staff.clinic = this.animal.keeper.clinic),
    (
      roles: [*],
      allow: [update, delete],
      where: auth.id == this.author and auth.Staff.clinic == this.animal.keeper.clinic
    )
  ]
}

entity Invoice {
  appointment UUID @id @ref(Appointment.id),
  state @enum("open", "paid") @default("open"),
  net Decimal @expr(sum(InvoiceLine.Line.amount)),
  gross Decimal @expr(round(net * 1.19, 2)),
  lines Int @expr(count(InvoiceLine)),
  @meta {"creatorOwns": false},
  @rbac [
    (roles: [*], allow: [read], where: auth.id = this.appointment.animal.keeper.user),
    (roles: [*], allow: [read], where: auth.Staff.clinic = this.appointment.clinic),
    (
      roles: [*],
      allow: [update],
      where: auth.Staff.clinic == this.appointment.clinic and auth.Staff.job == "receptionist"
    )
  ]
}

// Lines come from treatments, see below. Nobody writes them by hand.
entity Line {
  no Int @id,
  text String,
  quantity Int,
  price Decimal,
  amount Decimal @expr(quantity * price),
  state String @expr(InvoiceLine.Invoice.state),
  @rbac [
    (
      roles: [*],
      allow: [read],
      where: auth.id = this.InvoiceLine.Invoice.appointment.animal.keeper.user
    ),
    (
      roles: [*],
      allow: [read],
      where: auth.Staff.clinic = this.InvoiceLine.Invoice.appointment.clinic
    )
  ]
}

relationship InvoiceLine contains(Invoice, Line)

// What the accountants have not been told yet, and what they were told: nobody's but admin's, for it has no rules.
entity Message {
  id UUID @id @default(uuid()),
  invoice UUID,
  amount Decimal,
  sent DateTime @optional
}

// Triggers run as the system, and say here that this is meant: whoever books, all appointments are looked at.
@runAs(system) workflow @before create:Appointment {
  {isFree {id this.id, clinic this.clinic, vet this.vet, starts this.starts, ends this.ends}}
}

@runAs(system) workflow @before update:Appointment {
  if (this.state != "cancelled") {
    {isFree {id this.id, clinic this.clinic, vet this.vet, starts this.starts, ends this.ends}}
  }
}

event isFree {
  id UUID,
  clinic String,
  vet String,
  starts DateTime,
  ends DateTime
}

@internal workflow isFree {
  if (isFree.ends <= isFree.starts) {
    throw("An appointment ends after it starts.")
  }
  {Staff {id? isFree.vet, clinic? isFree.clinic, job? "vet"}} @empty throw("This is no vet of the clinic.")
  {Appointment {
    id?!= isFree.id,
    vet? isFree.vet,
    state?!= "cancelled",
    starts?< isFree.ends,
    ends?> isFree.starts
  }} @as [taken]
  if (taken != null) {
    throw("The vet is not free then.")
  }
}

workflow @before create:Note {
  {this {author auth.id}}
}

workflow @before create:Stock {
  if (this.quantity < 0) {
    throw("There is not enough of " + this.drug + ".")
  }
}

workflow @before update:Stock {
  if (this.quantity < 0) {
    throw("There is not enough of " + this.drug + ".")
  }
}

// What is given is taken from the stock of the clinic, and put on the invoice of the appointment.
@runAs(system) workflow @after create:Treatment {
  if (this.quantity < 1) {
    throw("Nothing is given.")
  }
  {Appointment {id? this.appointment}} @as [appointment]
  {Drug {code? this.drug}} @as [drug]
  {Stock {clinic? appointment.clinic, drug? this.drug, quantity Stock.quantity - this.quantity}} @empty throw("There is not enough of " + this.drug + ".")
  {Invoice {appointment? this.appointment}} @empty {Invoice {appointment this.appointment}}
  {Invoice {appointment? this.appointment}} @as [invoice]
  {
    Invoice {appointment? this.appointment},
    InvoiceLine [
      {Line {no invoice.lines + 1, text drug.name, quantity this.quantity, price drug.price}}
    ]
  }
}

workflow @after create:Line {
  if (this.state == "paid") {
    throw("The invoice is paid.")
  }
}

// What is paid stays as it is, and the accountants are told of it.
@runAs(system) workflow @before update:Invoice {
  {Invoice {appointment? this.appointment}} @as [before]
  if (before.state == "paid") {
    throw("The invoice is paid.")
  }
  if (this.state == "paid") {
    {tellAccounting {invoice this.appointment, amount before.gross}}
  }
}

event tellAccounting {
  invoice UUID,
  amount Decimal
}

// There is no path to it: only the logic of the model runs it, here a trigger, and so as the system.
@internal workflow tellAccounting {
  {Message {invoice tellAccounting.invoice, amount tellAccounting.amount}}
}

// An outbox: what is told to others is kept with what it tells of, in one transaction, and is sent behind it. What is not taken is sent again, and holds up nothing else.
@schedule("every second") @internal workflow deliver {
  if (accounting.isReached()) {
    {Message {sent? null}, @orderBy(id), @limit(20)} @as waiting
    for each in waiting {
      {sendOne {id each.id}} @catch {error console.log("The accountants have not taken", each.id)}
    }
  }
}

event sendOne {
  id UUID
}

@internal workflow sendOne {
  {Message {id? sendOne.id}} @as [message]
  await accounting.send(message)
  {Message {id? sendOne.id, sent now()}}
}

event register {
  name String,
  phone String @optional,
  clinic String
}

workflow register {
  {Customer {user auth.id, name register.name, phone register.phone, clinic register.clinic}}
}

record Slot {
  starts DateTime,
  ends DateTime
}

event busy {
  vet String,
  from DateTime,
  to DateTime,
  @rbac [(roles: [*], allow: [create])]
}

// When a vet is not free: anybody may know, and nothing else of whose appointments these are.
@runAs(system) workflow busy {
  {
    Appointment {vet? busy.vet, state?!= "cancelled", starts?< busy.to, ends?> busy.from},
    @orderBy(starts)
  } @as taken
  for each in taken {
    {Slot {starts each.starts, ends each.ends}}
  }
}

event cancel {
  appointment UUID,
  @rbac [(roles: [*], allow: [create])]
}

// Customers change nothing of an appointment but this, so that it runs as the system, and asks by itself whose it is.
@runAs(system) workflow cancel {
  {Customer {user? auth.id}} @as [customer] @empty throw("There is no such appointment.")
  {Appointment {id? cancel.appointment}} @as [appointment] @empty throw("There is no such appointment.")
  {Animal {id? appointment.animal, keeper? customer.id}} @empty throw("There is no such appointment.")
  if (appointment.state != "booked") {
    throw("The appointment is " + appointment.state + ".")
  }
  {Appointment {id? cancel.appointment, state "cancelled"}}
}

{Clinic {code "north", name "Clinic North"}, @upsert}
{Clinic {code "south", name "Clinic South"}, @upsert}
