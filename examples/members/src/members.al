module members

// Somebody of the association. There is one for each user: see PostSignUp below.
entity Member {
  email Email @id,
  name String @optional,
  since DateTime @default(now())
}

// What the association does together.
entity Meeting {
  id Int @id,
  title String,
  at DateTime,
  seats Int @default(20)
}

// Who comes.
relationship Attendance between (Member, Meeting) {
  answered DateTime @default(now())
}

// Whoever signs up becomes a member, with the role that all members have.
workflow platform.auth/PostSignUp {
  {platform.rbac/RoleAssignment {role "member", assignee PostSignUp.signupRequest.user.email}}
  {Member {email PostSignUp.signupRequest.user.email, name PostSignUp.signupRequest.user.name}}
}

event attend {
  meeting Int
}

// The caller comes to a meeting. One transaction: two who want the last seat do not both get it.
workflow attend {
  {Meeting {id? attend.meeting}} @as [meeting] @empty throw("There is no such meeting.")
  if (meeting.seats < 1) {
    throw("There is no seat left.")
  }
  {Meeting {id? attend.meeting, seats meeting.seats - 1}}
  {Attendance {Member auth.user, Meeting attend.meeting}}
}

{Meeting {id 1, title "General assembly", at "2030-03-01T18:00:00Z"}, @upsert}
