module blog

entity Post {
  slug String @id,
  title String,
  body String @optional,
  state @enum("draft", "published") @default("draft"),
  created DateTime @default(now())
}

entity Author {
  id UUID @id @default(uuid()),
  name String,
  email Email @unique,
  website URL @optional
}

entity Comment {
  id UUID @id @default(uuid()),
  text String,
  name String @default("anonymous"),
  written DateTime @default(now())
}

entity Tag {
  name String @id
}

// Deleting a post deletes its comments.
relationship PostComment contains(Post, Comment)

// An author writes many posts; a post has one author.
relationship AuthorPost between(Author, Post) @one_many

relationship PostTag between(Post, Tag)
