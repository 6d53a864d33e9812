module support

entity Ticket {
  id Int @id @autoincrement,
  title String,
  customer Email @optional,
  state String @enum("open", "closed") @default("open")
}

entity Refund {
  id Int @id @autoincrement,
  ticket Int @ref(Ticket.id),
  amount Decimal,
  @meta {"approve": ["create"]}
}

agent classify {
  instruction "Say what the customer writes about.",
  glossary [
    {
      "name": "billing",
      "meaning": "whatever was paid, or is to be paid",
      "synonyms": "invoice, charge"
    }
  ],
  scenarios [
    {"user": "You charged me twice", "ai": "billing"},
    {"user": "It does not start any more", "ai": "broken"},
    {"user": "How do I change my password?", "ai": "question"}
  ]
}

agent pay {
  instruction "Find the open ticket of the customer and refund what was charged too much.",
  directives [
    {
      "if": "the customer has no open ticket",
      "then": "refund nothing and ask for the number of the order"
    }
  ],
  tools [support/Ticket, support/Refund]
}

agent reply {
  role "You are a friendly clerk of a help desk.",
  instruction "Answer in one sentence.",
  scenarios [{"user": "How do I change my password?", "ai": "Open Settings, then Password."}]
}

event report {
  message String
}

workflow report {
  {Ticket {title report.message}}
}

@public agent desk {
  role "You run a help desk.",
  scenarios [{"user": "How do I change my password?", "ai": "Open Settings, then Password."}]
}

flow desk {
  classify --> "billing" pay
  classify --> "broken" report
  classify --> "question" reply
}
