module bench

entity Note {
  id UUID @id @default(uuid()),
  title String,
  rank Int @optional @indexed,
  kind @enum("a", "b"),
  createdAt DateTime @default(now()),
  @meta {"audit": true},
  @rbac [(roles: [user], allow: [create])]
}

entity Comment {
  id UUID @id @default(uuid()),
  text String,
  createdAt DateTime @default(now())
}

relationship NoteComment contains(Note, Comment)

entity Reply {
  id UUID @id @default(uuid()),
  text String
}

relationship CommentReply contains(Comment, Reply)

entity Purchase {
  id UUID @id @default(uuid()),
  note UUID,
  was String,
  amount Int,
  createdAt DateTime @default(now())
}

entity Line {
  id UUID @id @default(uuid()),
  purchase UUID,
  item String,
  amount Int,
  createdAt DateTime @default(now())
}

event order {
  note UUID,
  title String,
  item String,
  amount Int
}

workflow order {
  {Note {id? order.note}} @as [note]
  {Purchase {note note.id, was note.title, amount order.amount}} @as purchase
  {Line {purchase purchase.id, item order.item, amount 1}}
  {Line {purchase purchase.id, item order.title, amount order.amount - 1}}
  {note {title order.title}}
  purchase
}

workflow every {
  for each in {Note? {}} {
    each.rank
  }
}
