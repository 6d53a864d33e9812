module shop

// What is sold, and how much of it is there.
entity Product {
  code String @id,
  name String,
  price Decimal,
  stock Int @default(0)
}

// Points are given for what is bought.
entity Customer {
  email Email @id,
  name String,
  points Int @default(0)
}

entity Purchase {
  id UUID @id @default(uuid()),
  customer Email,
  product String,
  quantity Int,
  amount Decimal,
  points Int,
  at DateTime @default(now())
}

record Receipt {
  product String,
  amount Decimal,
  points Int,
  total Int
}

event buy {
  customer Email,
  product String,
  quantity Int @default(1)
}

// One transaction: where anything fails, nothing of it has happened.
workflow buy {
  {Customer {email? buy.customer}} @as [customer] @empty throw("There is no such customer.")
  {Product {code? buy.product}} @as [product] @empty throw("There is no such product.")
  {Product {code? buy.product, stock product.stock - buy.quantity}}
  product.price * buy.quantity @as amount
  if (amount >= 100) {
    10 * buy.quantity
  } else if (amount >= 20) {
    2 * buy.quantity
  } else {
    0
  } @as points
  {Purchase {
    customer customer.email,
    product product.code,
    quantity buy.quantity,
    amount amount,
    points points
  }}
  {Customer {email? buy.customer, points customer.points + points}} @as [paid]
  {Receipt {product product.name, amount amount, points points, total paid.points}}
}

// Whoever changes the stock, it is never less than nothing.
workflow @before update:Product {
  if (this.stock < 0) {
    throw("There is not enough of " + this.name + ".")
  }
}

// What was sold, by product.
event sales {
  from Int @default(1)
}

workflow sales {
  {
    Purchase {quantity?>= sales.from},
    @join Product {code? Purchase.product},
    @into {name Product.name, sold @sum(Purchase.quantity), amount @sum(Purchase.amount)},
    @groupBy(Product.name),
    @orderBy(name)
  }
}

// At every start: what is there already is left alone.
{Product {code? "tea"}} @empty {Product {code "tea", name "Green tea", price "4.50", stock 100}}
{Product {code? "pot"}} @empty {Product {code "pot", name "Tea pot", price "120.00", stock 2}}
