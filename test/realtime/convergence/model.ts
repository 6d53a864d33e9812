// The application that convergence is tried on: rules on attributes, on computed ones, owners, grants and roles decide who reads what.

export const model = `module m
entity Team { id Int @id, lead Email, stamp String, @rbac [(roles: [user], allow: [read])] }
entity Task { id Int @id, team Int @ref(Team.id), lead Email @expr(team.lead), open Boolean, stamp String,
  @rbac [(roles: [auditor], allow: [read]), (roles: [user], allow: [read, update], where: auth.user = this.lead or this.open = true)] }
entity Post { id Int @id, likes Int, public Boolean, stamp String,
  @rbac [(roles: [user], allow: [create]), (roles: [user], allow: [read], where: this.public = true), (roles: [auditor], allow: [read])] }
entity Comment { id Int @id, hot Int @expr(PostComment.Post.likes), stamp String, @rbac [(roles: [user], allow: [create]), (roles: [user], allow: [read], where: this.hot > 4)] }
entity Reply { id Int @id, stamp String }
entity Tag { name String @id, uses Int @expr(count(PostTag)), stamp String, @rbac [(roles: [user], allow: [read], where: this.uses > 1)] }
relationship PostComment contains(Post, Comment) @inherit
relationship CommentReply contains(Comment, Reply)
relationship PostTag between(Post, Tag)
relationship TeamPost between(Team, Post) @assign(Team -> Post)

event Churn { id Int, likes Int, public Boolean, stamp String, comments String }
workflow Churn {
  {Post {id? Churn.id, stamp "between", public true, likes 9}};
  {Comment {hot? 9, stamp "between"}} @as touched;
  {Post {id? Churn.id, stamp "between again", public false, likes 0}};
  for each in touched { {Comment {__path__? each.__path__, stamp Churn.comments}} };
  {Post {id? Churn.id, stamp Churn.stamp, public Churn.public, likes Churn.likes}}
}
event Replace { id Int, likes Int, public Boolean, stamp String }
workflow Replace {
  {Post {id? Replace.id, stamp "between", public true}};
  delete {Post {id? Replace.id}};
  {Post {id Replace.id, stamp "between", public true, likes 9}};
  {Post {id? Replace.id, stamp Replace.stamp, public Replace.public, likes Replace.likes}}
}
event Blink { id Int }
workflow Blink {
  {Post {id Blink.id, stamp "between", public true, likes 9}, PostComment [{Comment {id 1, stamp "between"}}]};
  {Post {id? Blink.id, stamp "between again"}};
  delete {Post {id? Blink.id}}
}
event Undone { id Int }
workflow Undone {
  {Post {id? Undone.id, stamp "between", public true, likes 9}};
  {Task {team? 1, stamp "between", open true}};
  {Team {id 1, lead "ann@example.com", stamp "between"}}
}
event Peek { id Int, who Email, likes Int, public Boolean, stamp String }
workflow Peek {
  {platform.rbac/InstancePrivilegeAssignment {resource "m/Post", resourceId str(Peek.id), assignee Peek.who, actions ["read"]}} @as given;
  {Post {id? Peek.id, stamp "between", likes 9}};
  delete {platform.rbac/InstancePrivilegeAssignment {id? given.id}};
  {Post {id? Peek.id, stamp Peek.stamp, public Peek.public, likes Peek.likes}}
}
event Lead { team Int, other Int, lead Email, stamp String, tasks String }
workflow Lead {
  {Team {id? Lead.team, lead "bob@example.com", stamp "between"}};
  {Task {team? Lead.team, stamp "between", open true}};
  {Team {id? Lead.team, lead "eve@example.com"}};
  {Task {team? Lead.team, team Lead.other, open false, stamp Lead.tasks}};
  {Team {id? Lead.team, lead Lead.lead, stamp Lead.stamp}}
}
event Relink { id Int, tag String }
workflow Relink {
  delete {PostTag {Post? Relink.id}};
  {PostTag {Post Relink.id, Tag Relink.tag}};
  delete {PostTag {Post? Relink.id}};
  {PostTag {Post Relink.id, Tag Relink.tag}}
}
`;
