module care

import "rules.ts" @as rules

record Card {
  insurer String,
  number String @optional,
  share Decimal @default("0.8")
}

record Vitals {
  weight Decimal,
  temperature Float @optional,
  pulses Int[] @optional
}

record Order {
  drug String,
  amounts Decimal[]
}

record Summary {
  patient Int,
  prescriptions Int,
  cost Decimal,
  owed Decimal,
  largest Decimal
}

entity Ward {
  code String @id,
  name String,
  beds Int @default(4),
  opens Time,
  staff Int @expr(count(WorksIn)),
  pay Decimal @expr(sum(WorksIn.Doctor.rate)),
  perBed Decimal @expr(round(pay / beds, 3))
}

entity Doctor {
  email Email @id,
  name String,
  field @enum("surgery", "medicine", "lab"),
  rate Decimal @check(rules.positive),
  patients Int @expr(count(FamilyDoctor)),
  turnover Decimal @expr(sum(FamilyDoctor.Patient.owed)),
  bonus Decimal @expr(round(turnover * 0.015 + rate / 3, 4)),
  trainees Int @expr(count(Mentors.trainee)),
  senior Decimal @expr(max(Mentors.mentor.rate)),
  badge String @expr(HasBadge.Badge.color)
}

entity Badge {
  serial String @id,
  color @enum("red", "blue") @default("blue"),
  holder String @expr(HasBadge.Doctor.name)
}

entity Patient {
  no Int @id,
  name String,
  born Date,
  state @enum("in", "out") @default("out"),
  card Card,
  vitals Vitals @optional,
  turn Int @unique @optional,
  initials String @expr(rules.initials(name)),
  adult Date @expr(dateFns.addMonths(born, 216)),
  visits Int @expr(count(PatientVisit)),
  cost Decimal @expr(sum(PatientVisit.Visit.cost)),
  owed Decimal @expr(round(cost * (1 - card.share), 2)),
  last DateTime @expr(max(PatientVisit.Visit.at)),
  fever Float @expr(max(PatientVisit.Visit.temperature)),
  doctor String @expr(FamilyDoctor.Doctor.name)
}

entity Visit {
  no Int @id,
  at DateTime @unique,
  ends DateTime @optional @check(rules.endsAfter),
  kind @enum("plain", "urgent") @default("plain"),
  temperature Float @optional,
  warm Float @optional @expr(temperature * 1.8 + 32),
  fee Decimal @default(rules.fee),
  drugs Decimal @expr(sum(VisitPrescription.Prescription.price)),
  cost Decimal @expr(max(fee + drugs, 10.5)),
  patient String @expr(PatientVisit.Patient.name),
  samples Int @expr(count(SampleOf)),
  peak Decimal @expr(max(SampleOf.Sample.high))
}

entity Prescription {
  no Int @id,
  drug String @ref(pharmacy/Drug.code),
  doses Int @expr(count(PrescriptionDose)),
  total Decimal @expr(sum(PrescriptionDose.Dose.amount)),
  price Decimal @expr(round(total * drug.cheapest, 2)),
  schedule String @expr(rules.schedule(PrescriptionDose.Dose.at, drug))
}

entity Dose {
  at Time @id,
  amount Decimal @check(rules.positive),
  given Boolean @default(false),
  half Decimal @expr(amount / 2)
}

entity Sample {
  code String @id,
  taken DateTime,
  values Decimal[],
  marks Map @optional,
  high Decimal @optional @expr(max(values)),
  spread Decimal @optional @expr(max(values) - min(values))
}

relationship PatientVisit contains(Patient, Visit)

relationship VisitPrescription contains(Visit, Prescription)

relationship PrescriptionDose contains(Prescription, Dose)

relationship WorksIn between(Doctor, Ward) {
  role @enum("head", "staff"),
  since Date @optional,
  share Decimal @default("1")
}

relationship FamilyDoctor between(Doctor, Patient) @one_many {
  since Date @optional
}

relationship HasBadge between(Doctor, Badge) @one_one

relationship Mentors between(Doctor @as mentor, Doctor @as trainee)

relationship Attends between(Doctor, Visit) {
  hours Decimal
}

relationship SampleOf between(Visit, Sample) @one_many

workflow @before create:Visit {
  if (this.kind == "urgent") {
    {this {fee this.fee * 1.5}}
  }
}

workflow @after create:Prescription {
  {pharmacy/Usage {drug? this.drug}} @empty {pharmacy/Usage {drug this.drug, times 0}}
  {pharmacy/Usage {drug? this.drug, times Usage.times + 1}}
}

workflow @after delete:Prescription {
  {pharmacy/Usage {drug? this.drug, times Usage.times - 1}}
}

event admit {
  patient Int,
  no Int,
  at DateTime,
  temperature Float @optional,
  orders Order[]
}

workflow admit {
  {Patient {no? admit.patient, state "in"}} @empty throw("There is no such patient.")
  {Patient {no? admit.patient}, PatientVisit [{Visit {no admit.no, at admit.at, temperature admit.temperature}}]}
  {Visit {at? admit.at}} @as [visit]
  0 @as number
  0 @as largest
  for order in admit.orders {
    number + 1 @as number
    {pharmacy/Drug {code? order.drug}} @as [drug] @empty throw("There is no drug " + order.drug + ".")
    {Visit {__path__? visit.__path__}, VisitPrescription [{Prescription {no number, drug order.drug}}]}
    0 @as hour
    for amount in order.amounts {
      hour + 1 @as hour
      rules.limit(amount, drug.limits)
      max(largest, amount) @as largest
      {Prescription {__path__? visit.__path__ + "/care$VisitPrescription/care$Prescription/" + number}, PrescriptionDose [{Dose {at rules.hour(hour), amount amount}}]}
      {pharmacy/Drug {code? order.drug, stock Drug.stock - amount}}
    }
  }
  {Visit {at? admit.at}} @as [done]
  {Patient {no? admit.patient}} @as [after]
  {Summary {patient admit.patient, prescriptions number, cost done.cost, owed after.owed, largest largest}}
}

event shift {
  from Int,
  by Int
}

workflow shift {
  {Patient {turn?>= shift.from, turn Patient.turn + shift.by}}
  {Patient {turn?!= null}, @orderBy(turn)} @as waiting
  for each in waiting {
    {"no": each.no, "turn": each.turn}
  }
}

event transfer {
  doctor Email,
  patient Int,
  since Date
}

workflow transfer {
  {Doctor {email? transfer.doctor}} @as [doctor] @empty throw("There is no such doctor.")
  {Patient {no? transfer.patient}} @as [patient] @empty throw("There is no such patient.")
  delete {FamilyDoctor {Patient? patient}}
  {FamilyDoctor {Doctor doctor, Patient patient, since transfer.since}}
  {Doctor {email? transfer.doctor}} @as [after]
  if (after.patients > 3) {
    throw("Doctor " + after.name + " has too many patients.")
  }
  after
}

event clear {
  before DateTime
}

workflow clear {
  delete {Visit {at?< clear.before}}
}

event find {
  at DateTime
}

// A query and a comparison must find the same.
workflow find {
  0 @as same
  0 @as later
  for visit in {Visit? {}} {
    if (visit.at == find.at) {
      same + 1 @as same
    }
    if (visit.at > find.at) {
      later + 1 @as later
    }
  }
  {Visit {at? find.at}} @as found
  {Visit {at?> find.at}} @as after
  {"same": same, "later": later, "found": rules.size(found), "after": rules.size(after)}
}

event recall {
  day String,
  months Int
}

workflow recall {
  dateFns.addMonths(dateFns.parseDate(recall.day, "dd.MM.yy"), recall.months) @as next
  {"next": dateFns.formatDate(next, "d.M.yyyy"), "last": dateFns.endOfMonth(next)}
}

workflow wards {
  {
    Doctor? {},
    @join WorksIn {Doctor? Doctor.email},
    @join Ward {code? WorksIn.Ward},
    @into {code Ward.code, doctors @count(Doctor.email), pay @sum(Doctor.rate), share @sum(WorksIn.share), mean @avg(WorksIn.share), top @max(Doctor.rate), first @min(WorksIn.since)},
    @groupBy(Ward.code),
    @orderBy(code)
  }
}

workflow hours {
  {
    Visit? {},
    @join Attends {Visit? Visit.no},
    @join Doctor {email? Attends.Doctor},
    @into {path Visit.__path__, email Doctor.email, pay Attends.hours * Doctor.rate},
    @orderBy(path, email)
  }
}

workflow heat {
  {
    Visit {temperature?!= null},
    @into {kind Visit.kind, total @sum(Visit.temperature), visits @count(Visit.no), cost @sum(Visit.cost)},
    @groupBy(Visit.kind),
    @orderBy(kind)
  }
}

event chart {
  patient Int,
  least Float
}

workflow chart {
  {Patient {no? chart.patient}, PatientVisit {Visit {temperature?>= chart.least}, VisitPrescription {Prescription? {}}}}
}
