module pharmacy

import "rules.ts" @as rules

record Pack {
  size Int,
  content Decimal,
  unit String @default("mg")
}

record Terms {
  days Int,
  discount Decimal @default("0")
}

record Delivery {
  number String,
  drug String,
  amount Decimal,
  expires Date
}

entity Drug {
  code String @id,
  name String,
  prices Decimal[],
  limits Map @optional,
  pack Pack,
  stock Decimal @default("0"),
  cheapest Decimal @expr(min(prices)),
  strength Decimal @expr(round(pack.content / pack.size, 3)),
  offers Int @expr(count(Supplies))
}

entity Batch {
  number String @id,
  drug String @ref(Drug.code) @cascade(true),
  amount Decimal @check(rules.positive),
  expires Date,
  received DateTime @unique @optional,
  label String @optional,
  worth Decimal @expr(amount * drug.cheapest),
  @with_unique(drug, expires)
}

// How often each drug is prescribed.
entity Usage {
  drug String @id @ref(Drug.code) @cascade(true),
  times Int
}

entity Supplier {
  code String @id,
  name String,
  drugs Int @expr(count(Supplies)),
  dearest Decimal @expr(max(Supplies.Drug.cheapest))
}

// What runs out.
entity Notice {
  no Int @id @default(autoincrement()),
  drug String,
  left Decimal
}

relationship Supplies between(Supplier, Drug) {
  price Decimal,
  terms Terms @optional
}

workflow @before create:Batch {
  if (this.label == null) {
    {this {label str(this.drug, "-", this.number)}}
  }
}

workflow @before update:Drug {
  if (this.stock < 0) {
    throw("There is not enough of " + this.name + ".")
  }
}

workflow @after update:Drug {
  if (this.stock < 10) {
    {Notice {drug this.code, left this.stock}}
  }
}

event receive {
  number String,
  drug String,
  amount Decimal,
  expires Date
}

workflow receive {
  {Batch {number receive.number, drug receive.drug, amount receive.amount, expires receive.expires}, @upsert} @as batch
  {Drug {code? receive.drug, stock Drug.stock + receive.amount}} @as [drug]
  if (drug.stock > 150) {
    throw("There is no room for " + receive.number + ".")
  }
  {"number": batch.number, "stock": drug.stock, "worth": batch.worth}
}

event restock {
  items Delivery[]
}

workflow restock {
  for item in restock.items {
    {receive {number item.number, drug item.drug, amount item.amount, expires item.expires}} @catch {error {"number": item.number, "code": Error.code}}
  }
}

event stocks {
  day Date
}

workflow stocks {
  {
    Drug? {},
    @left_join Batch {drug? Drug.code, expires?>= stocks.day},
    @into {code Drug.code, batches @count(Batch.number), amount @sum(Batch.amount), mean @avg(Batch.amount), last @max(Batch.expires)},
    @groupBy(Drug.code),
    @orderBy(code)
  }
}

event compare {
  drug String,
  other Map
}

// How many drugs have such limits.
workflow compare {
  {Drug {code? compare.drug}} @as [drug] @empty throw("There is no such drug.")
  0 @as same
  for each in {Drug? {}} {
    if (each.limits == compare.other) {
      same + 1 @as same
    }
  }
  {"same": same, "highest": rules.highest(drug.limits)}
}

event offers {
  least Decimal
}

workflow offers {
  {
    Supplies {price?>= offers.least},
    @join Drug {code? Supplies.Drug},
    @join Supplier {code? Supplies.Supplier},
    @into {supplier Supplier.code, drug Drug.name, code Drug.code, gain Drug.cheapest - Supplies.price},
    @orderBy(supplier, code)
  }
}
