// The model that generated clients are tried on: every kind of attribute, containment of two levels, links with attributes, events.

export const shop = `module shop.core

record Address { street String, city String, number Int @optional }

entity Customer {
  email Email @id,
  name String,
  address Address @optional,
  tags String[] @optional,
  settings Map @optional,
  active Boolean @default(true),
  level @enum("new", "gold") @default("new")
}

entity Order {
  id Int @id,
  total Decimal @default(0),
  weight Float @default(0.5),
  note String @optional,
  placed DateTime @default(now())
}

entity Item { sku String @id, amount Int, secretCode String @writeonly @optional }
entity Product { code String @id, price Decimal, stock Int @default(0) }

relationship OrderItem contains(Order, Item)
relationship CustomerOrder between(Customer, Order) @one_many
relationship OrderProduct between(Order, Product) { count Int @default(1) }

record Summary { orders Int, sum Decimal }
event total { email Email }
workflow total {
  {Order {id? 1}} @as [order]
  {Summary {orders order.id, sum order.total}}
}
`;
