module bench

entity Note {
  id UUID @id @default(uuid()),
  title String,
  rank Int @optional @indexed,
  kind @enum("a", "b"),
  createdAt DateTime @default(now())
}

entity Comment {
  id UUID @id @default(uuid()),
  text String,
  createdAt DateTime @default(now())
}

relationship NoteComment contains(Note, Comment)
