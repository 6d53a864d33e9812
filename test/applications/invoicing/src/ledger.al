module ledger

entity Account {
  code String @id,
  name String,
  entries Int @expr(count(AccountEntry)),
  balance Decimal @expr(sum(AccountEntry.Entry.amount))
}

entity Entry {
  no Int @id,
  amount Decimal,
  text String
}

entity Period {
  name String @id,
  from Date,
  to Date,
  closed Boolean @default(false),
  margin Decimal @optional @ref(sales/Category.margin),
  @with_unique(from, to)
}

relationship AccountEntry contains(Account, Entry)

{Account {code? "bank"}} @empty {Account {code "bank", name "Bank"}}
{Account {code? "cash"}} @empty {Account {code "cash", name "Cash box"}}
