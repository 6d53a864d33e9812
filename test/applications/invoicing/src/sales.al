module sales

import "money.ts" @as money

record Address {
  street String,
  city String,
  zip String @optional
}

record Pack {
  weight Decimal,
  units Int @default(1)
}

record Item {
  sku String,
  quantity Int
}

record Receipt {
  no Int,
  lines Int,
  gross Decimal,
  left Decimal
}

entity TaxRate {
  code String @id,
  percent Decimal
}

entity Category {
  code String @id,
  name String,
  margin Decimal @unique
}

entity Product {
  sku String @id,
  name String,
  price Decimal,
  stock Int @default(0),
  tax String @ref(TaxRate.code),
  pack Pack @optional,
  steps Decimal[] @optional,
  percent Decimal @expr(tax.percent),
  shipping Decimal @optional @expr(round(pack.weight * 1.15 / pack.units, 3))
}

// Every change of a product, numbered.
entity ProductChange {
  no Int @id @default(autoincrement()),
  sku String,
  price Decimal,
  stock Int
}

entity Customer {
  number Int @id,
  name String,
  email Email @unique,
  address Address,
  creditLimit Decimal @default("500.00"),
  tags String[] @optional,
  known String @optional,
  invoices Int @expr(count(CustomerInvoice)),
  owed Decimal @expr(sum(CustomerInvoice.Invoice.due)),
  credit Decimal @expr(creditLimit - owed)
}

entity Contact {
  no Int @id,
  name String,
  phone String @optional
}

entity Invoice {
  no Int @id,
  date Date,
  discount Decimal @default("0") @check(money.discountFits),
  state @enum("open", "paid") @default("open"),
  lines Int @expr(count(InvoiceLine)),
  net Decimal @expr(sum(InvoiceLine.Line.amount)),
  tax Decimal @expr(sum(InvoiceLine.Line.tax)),
  gross Decimal @expr(money.gross(net, tax, discount)),
  paid Decimal @expr(sum(InvoicePayment.Payment.amount)),
  due Decimal @expr(gross - paid),
  reminders Int @expr(count(InvoiceReminder))
}

entity Line {
  no Int @id,
  product String @ref(Product.sku),
  quantity Int @check(money.positive),
  price Decimal @optional,
  off Decimal @default("0"),
  amount Decimal @optional @expr(round(quantity * price * (1 - off / 100), 2)),
  tax Decimal @expr(round(amount * product.percent / 100, 2))
}

entity Serial {
  number String @id,
  note String @optional
}

entity Payment {
  no Int @id,
  amount Decimal @check(money.positive),
  at DateTime,
  method @enum("cash", "bank") @default("bank")
}

entity Reminder {
  level Int @id,
  fee Decimal,
  day Date
}

relationship CustomerContact contains(Customer, Contact)

relationship CustomerInvoice between(Customer, Invoice) @one_many

relationship InvoiceLine contains(Invoice, Line)

relationship LineSerial contains(Line, Serial)

relationship InvoicePayment contains(Invoice, Payment)

relationship InvoiceReminder contains(Invoice, Reminder)

relationship ProductCategory between(Product, Category) {
  rank Int,
  since Date @optional
}

// A line without a price takes that of its product.
workflow @before create:Line {
  if (this.price == null) {
    {Product {sku? this.product}} @as [product]
    {this {price product.price}}
  }
}

workflow @after update:Product {
  {ProductChange {sku this.sku, price this.price, stock this.stock}}
}

// The name under which a customer was last changed.
workflow @after update:Customer {
  if (this.known != this.name) {
    {Customer {number? this.number, known this.name}}
  }
}

event raise {
  customer Int,
  by Any
}

workflow raise {
  {Customer {number? raise.customer}} @as [customer] @empty throw("There is no such customer.")
  {Customer {number? raise.customer, creditLimit customer.creditLimit + raise.by}} @as [customer]
  customer.creditLimit
}

event freight {
  sku String,
  most Int
}

// What a pack weighs with its box, and the steps of its price together.
workflow freight {
  {Product {sku? freight.sku}} @as [product] @empty throw("There is no such product.")
  if (product.pack.weight > freight.most) {
    throw("That is too heavy.")
  }
  0 @as total
  for step in product.steps {
    total + step @as total
  }
  {"boxed": product.pack.weight + 1, "net": product.pack.weight - 1, "total": total}
}

workflow reductions {
  {Line {quantity?> 0}, @into {off Line.off}, @distinct, @orderBy(off)}
}

event sell {
  no Int,
  customer Int,
  date Date,
  items Item[]
}

workflow sell {
  {Customer {number? sell.customer}} @as [customer] @empty throw("There is no such customer.")
  {Invoice {no sell.no, date sell.date}} @as invoice
  {CustomerInvoice {Customer customer, Invoice invoice}}
  0 @as count
  for item in sell.items {
    count + 1 @as count
    {Product {sku? item.sku}} @as [product] @empty throw("There is no product " + item.sku + ".")
    if (product.stock < item.quantity) {
      throw("There is not enough of " + product.name + ".")
    }
    {Product {sku? item.sku, stock product.stock - item.quantity}}
    {Invoice {no? sell.no}, InvoiceLine [{Line {no count, product item.sku, quantity item.quantity}}]}
  }
  {Invoice {no? sell.no}} @as [done]
  {Customer {number? sell.customer}} @as [buyer]
  if (buyer.credit < 0) {
    throw("That is more than the customer may owe.")
  }
  {Receipt {no sell.no, lines count, gross done.gross, left buyer.credit}}
}

event pay {
  invoice Int,
  no Int,
  amount Decimal,
  at DateTime,
  method String
}

workflow pay {
  {Invoice {no? pay.invoice}} @as [invoice] @empty throw("There is no such invoice.")
  if (invoice.due < pay.amount) {
    throw("That is too much.")
  }
  {Invoice {no? pay.invoice}, InvoicePayment [{Payment {no pay.no, amount pay.amount, at pay.at, method pay.method}}]}
  {ledger/Account {code? pay.method}, ledger/AccountEntry [{ledger/Entry {no pay.invoice * 100 + pay.no, amount pay.amount, text "invoice " + pay.invoice}}]}
  {Invoice {no? pay.invoice}} @as [after]
  if (after.due == 0) {
    {Invoice {no? pay.invoice, state "paid"}} @as [after]
  }
  {"invoice": pay.invoice, "due": after.due, "state": after.state, "half": after.due / 2, "third": after.due / 3}
}

event remind {
  before Date,
  day Date
}

// The fee grows with what is still to be paid.
workflow remind {
  for invoice in {Invoice {state? "open", date?< remind.before}, @orderBy(no)} {
    {Invoice {no? invoice.no}, InvoiceReminder [{Reminder {level invoice.reminders + 1, fee round(invoice.due * 0.015, 2), day remind.day}}]}
    invoice.no
  }
}

event reprice {
  category String,
  percent Decimal
}

workflow reprice {
  {
    ProductCategory {Category? reprice.category},
    @join Product {sku? ProductCategory.Product},
    @into {sku Product.sku, price Product.price},
    @orderBy(sku)
  } @as rows
  for row in rows {
    {Product {sku? row.sku, price round(row.price * (1 + reprice.percent / 100), 2)}} @as [product]
    {"sku": product.sku, "price": product.price}
  }
}

workflow revenue {
  {
    Line {quantity?> 0},
    @join Product {sku? Line.product},
    @into {sku Product.sku, quantity @sum(Line.quantity), amount @sum(Line.amount), dearest @max(Line.price)},
    @groupBy(Product.sku),
    @orderBy(sku)
  }
}

event statement {
  customer Int
}

workflow statement {
  {Customer {number? statement.customer}, CustomerInvoice {Invoice {due?> 0}}}
}
