// `platform access matrix` prints who may do what by the model, the same for both syntaxes, and `check` tells what has changed.

import { expect, onTestFinished, test } from 'vitest';
import { command, type Workspace, workspace } from '../cli/harness.ts';

const current = `module Blog
entity Post {
  id Int @id, title String, author Email, state String @default("draft"),
  @rbac [(roles: [user, "editor"], allow: [create, read]), (roles: [editor], allow: [update], where: auth.user = this.author and (this.state = "draft" or this.state = "new")),
    (allow: [delete], where: auth.user = this.author)]
}
entity Comment { id Int @id, text String, @rbac [(roles: [user], allow: [create, read])] }
entity Note { id Int @id }
entity Team { id Int @id, @meta {"ownerOnly": true}, @rbac [(roles: [user], allow: [*])] }
relationship PostNote contains(Post, Note)
relationship PostComment contains(Post, Comment) @inherit { @rbac [(roles: [member], allow: [create])] }
relationship TeamPost between(Team, Post) @assign(Team -> Post)
event publish { id Int }
workflow publish { {Post {id? publish.id}} }
event retract { id Int, @rbac [(roles: [editor], allow: [create])] }
workflow retract { {Post {id? retract.id}} }
`;

const earlier = `(component :Blog)
(entity :Post
  {:id {:type :Int :guid true} :title :String :author :Email :state {:type :String :default "draft"}
   :rbac [{:roles ["user" "editor"] :allow [:create :read]}
          {:roles ["editor"] :allow [:update] :where [:and [:= :auth.user :author] [:or [:= :state "draft"] [:= :state "new"]]]}
          {:allow [:delete] :where [:= :auth.user :author]}]})
(entity :Comment {:id {:type :Int :id true} :text :String :rbac [{:roles ["user"] :allow [:create :read]}]})
(entity :Note {:id {:type :Int :id true}})
(entity :Team {:id {:type :Int :guid true} :meta {:crud-exclusive-for-owner true} :rbac [{:roles ["user"] :allow [:*]}]})
(relationship :PostNote {:meta {:contains [:Post :Note]}})
(relationship :PostComment {:meta {:contains [:Post :Comment]} :rbac {:inherit true :rules [{:roles ["member"] :allow [:create]}]}})
(relationship :TeamPost {:meta {:between [:Team :Post]} :rbac {:assign {:ownership [:Team :-> :Post]}}})
(event :publish {:id :Int})
(dataflow :publish {:Post {:id? :publish.id}})
(event :retract {:id :Int :rbac [{:roles ["editor"] :allow [:create]}]})
(dataflow :retract {:Post {:id? :retract.id}})
`;

const table = `Blog/Comment   role admin                                                                                  create  read  update  delete
Blog/Comment   role user                                                                                   -       read  -       -
Blog/Comment   role user, and of Blog/PostComment: role member                                             create  -     -       -
Blog/Comment   role user, and owner of Blog/Post (in Blog/PostComment)                                     create  -     -       -
Blog/Comment   role user, and owner of Blog/Team (in Blog/PostComment, assigned by Blog/TeamPost)          create  -     -       -
Blog/Comment   owner                                                                                       -       read  update  delete
Blog/Comment   owner of Blog/Post (in Blog/PostComment)                                                    -       read  update  delete
Blog/Comment   owner of Blog/Team (in Blog/PostComment, assigned by Blog/TeamPost)                         -       read  update  delete
Blog/Comment   granted by an owner                                                                         -       read  update  delete
Blog/Note      role admin                                                                                  create  read  update  delete
Blog/Note      owner                                                                                       -       read  update  delete
Blog/Note      owner of Blog/Post (in Blog/PostNote)                                                       create  read  update  delete
Blog/Note      owner of Blog/Team (in Blog/PostNote, assigned by Blog/TeamPost)                            create  read  update  delete
Blog/Note      granted by an owner                                                                         -       read  update  delete
Blog/Post      role admin                                                                                  create  read  update  delete
Blog/Post      role * where auth.user = this.author                                                        -       -     -       delete
Blog/Post      role editor                                                                                 create  read  -       -
Blog/Post      role editor where auth.user = this.author and (this.state = "draft" or this.state = "new")  -       -     update  -
Blog/Post      role user                                                                                   create  read  -       -
Blog/Post      owner                                                                                       -       read  update  delete
Blog/Post      owner of Blog/Team (assigned by Blog/TeamPost)                                              -       read  update  delete
Blog/Post      granted by an owner                                                                         -       read  update  delete
Blog/Team      role admin                                                                                  create  read  update  delete
Blog/Team      role user                                                                                   create  read  -       -
Blog/Team      owner                                                                                       -       read  update  delete
Blog/Team      granted by an owner                                                                         -       read  update  delete
Blog/TeamPost  role admin                                                                                  create  -     update  delete
Blog/TeamPost  owner of both Team and Post                                                                 create  -     update  delete
Blog/TeamPost  who may read both Team and Post                                                             -       read  -       -
Blog/publish   role *                                                                                      execute
Blog/retract   role admin                                                                                  execute
Blog/retract   role editor                                                                                 execute
`;

test.each(['current', 'earlier'] as const)('the matrix of a model in the %s syntax', async (syntax) => {
  const { folder } = project(syntax);
  const { code, out, err } = await command(folder, 'access', 'matrix');
  expect([code, err, out.replace(/ +/g, ' ')]).toEqual([0, '', table.replace(/ +/g, ' ')]);
});

test('a change of rights is told, and fails', async () => {
  const place = project('current');
  const { folder, write } = place;
  for (const [file, words] of [
    ['access.json', ['--json']],
    ['access.txt', []],
  ] as const) {
    write('src/core.al', current);
    write(file, (await command(folder, 'access', 'matrix', ...words)).out);
    expect(await command(folder, 'access', 'check', '--against', file)).toEqual({
      code: 0,
      out: `the rights are those of ${file}\n`,
      err: '',
    });
    write(
      'src/core.al',
      current.replace(
        'entity Comment { id Int @id, text String, @rbac [(roles: [user],',
        'entity Comment { id Int @id, text String, @rbac [(roles: [guest],',
      ),
    );
    const { code, out, err } = await command(folder, 'access', 'check', '--against', file);
    expect([code, out]).toEqual([1, told[file]]);
    expect(err).toContain(`platform access matrix${words.map((each) => ` ${each}`).join('')} > ${file}`);
  }
});

const told = {
  'access.json': `+ {"type":"Blog/Comment","kind":"entity","operation":"create","who":"role guest, and of Blog/PostComment: role member"}
+ {"type":"Blog/Comment","kind":"entity","operation":"create","who":"role guest, and owner of Blog/Post (in Blog/PostComment)"}
+ {"type":"Blog/Comment","kind":"entity","operation":"create","who":"role guest, and owner of Blog/Team (in Blog/PostComment, assigned by Blog/TeamPost)"}
- {"type":"Blog/Comment","kind":"entity","operation":"create","who":"role user, and of Blog/PostComment: role member"}
- {"type":"Blog/Comment","kind":"entity","operation":"create","who":"role user, and owner of Blog/Post (in Blog/PostComment)"}
- {"type":"Blog/Comment","kind":"entity","operation":"create","who":"role user, and owner of Blog/Team (in Blog/PostComment, assigned by Blog/TeamPost)"}
+ {"type":"Blog/Comment","kind":"entity","operation":"read","who":"role guest"}
- {"type":"Blog/Comment","kind":"entity","operation":"read","who":"role user"}
`,
  'access.txt': `+ Blog/Comment role guest - read - -
+ Blog/Comment role guest, and of Blog/PostComment: role member create - - -
+ Blog/Comment role guest, and owner of Blog/Post (in Blog/PostComment) create - - -
+ Blog/Comment role guest, and owner of Blog/Team (in Blog/PostComment, assigned by Blog/TeamPost) create - - -
- Blog/Comment role user - read - -
- Blog/Comment role user, and of Blog/PostComment: role member create - - -
- Blog/Comment role user, and owner of Blog/Post (in Blog/PostComment) create - - -
- Blog/Comment role user, and owner of Blog/Team (in Blog/PostComment, assigned by Blog/TeamPost) create - - -
`,
} as const;

test('what cannot be compared is said in one line', async () => {
  const { folder, write } = project('current');
  expect((await command(folder, 'access', 'check', '--against', 'missing.json')).err).toBe(
    'platform: missing.json cannot be read. platform access matrix --json > missing.json writes it.\n',
  );
  expect((await command(folder, 'access', 'check')).code).toBe(2);
  write('config.al', '{}');
  const { code, err } = await command(folder, 'access', 'matrix');
  expect([code, err]).toEqual([1, 'platform: Access control is off in this project. Set rbac.enabled.\n']);
});

function project(syntax: 'current' | 'earlier'): Workspace {
  const place = workspace(
    syntax === 'current'
      ? { 'src/core.al': current, 'config.al': '{"rbac": {"enabled": true}}', 'package.json': '{"name": "blog", "version": "1.0.0"}' }
      : {
          'model.platform': '{:name :Blog :version "1.0.0" :platform-version "current" :components [:Blog]}',
          'blog.clj': earlier,
          'config.edn': '{:rbac-enabled true}',
        },
  );
  onTestFinished(place.remove);
  return place;
}
