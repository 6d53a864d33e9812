module newsroom

// Any user in role `user` may create and read posts; only the creator may update or delete a post. Every change is in the audit trail.
entity Post {
  id Int @id,
  title String,
  body String @optional,
  state @enum("draft", "published") @default("draft"),
  @rbac [(roles: [user], allow: [create, read])],
  @meta {"audit": true}
}

// No rules: notes are the affair of whoever owns the post that they stand in.
entity Note {
  id Int @id,
  text String
}

relationship PostNote contains(Post, Note)

// An editor corrects the texts that are assigned to them, and nobody else's.
entity Correction {
  id Int @id,
  post Int @ref(Post.id),
  editor Email,
  text String,
  @rbac [
    (roles: [user], allow: [create]),
    (roles: [editor], allow: [read, update], where: auth.user = this.editor)
  ]
}

// Those who work on a desk own what is linked with it, for as long as the link is there.
entity Desk {
  name String @id,
  @rbac [(roles: [*], allow: [read])]
}

relationship DeskPost between(Desk, Post) @assign(Desk -> Post)

// Whoever signs up may write.
workflow platform.auth/PostSignUp {
  {platform.rbac/RoleAssignment {role "user", assignee PostSignUp.signupRequest.user.email}}
  {platform.auth/User {email? PostSignUp.signupRequest.user.email}}
}

event publish {
  id Int
}

// Runs as whoever calls it: only an owner of the post gets far.
workflow publish {
  {Post {id? publish.id, state "published"}}
}
