// A service with everything that answers HTTP switched on: users, rights, an audit trail, agents and flows, resolvers, timers, GraphQL and MCP.

import type { App } from '../../src/app.ts';
import { mailServer, mailSettings } from '../identity/accounts.ts';
import type { OidcPeer } from '../identity/peers/oidc.ts';
import { type Options, serve } from '../support/app.ts';
import { modelServer, type ServerReply } from '../support/model-server.ts';
import { asAdmin } from './openapi-identity.ts';
import { admin } from './openapi-model.ts';

const model = `module desk
import "desk.js" @as desk

entity Note { id Int @id, text String, @meta {"audit": true} }
entity Refund { id Int @id, amount Int, @meta {"approve": ["create"]} }
entity Slip { id Int @id, text String }
entity Copied { id Int @id, text String }
entity Page { no Int @id }
relationship NotePage contains(Note, Page)
relationship Settles between(Note, Refund)

event ask { about String }
event buy { about String }
workflow buy { {ask {about buy.about}} @as said; said }
event copy { id Int, settles Boolean }
workflow copy { {Copied {id copy.id, text "copied"}}; if (copy.settles == false) { throw("not now") }; copy.id }
event tick { }
workflow tick { {Note? {}} }
event later { no Int }
workflow later { {platform/timer {name "later " + later.no, duration 1, unit "hour", trigger "desk/tick"}} }

resolver asked [desk/ask] { eval desk.ask }
resolver slips [desk/Slip] { create desk.create, update desk.update, delete desk.remove, query desk.query }
resolver copies [desk/Copied] @compose { create desk.copied, update desk.copied }

@public agent clerk { instruction "Work.", tools [desk/Note, desk/Refund] }
agent classify { instruction "Say what it is about." }
agent refunder { instruction "Refund.", tools [desk/Refund] }
agent noter { instruction "Note it.", tools [desk/Note] }
@public agent support { role "You support." }
flow support {
  classify --> "refund" refunder
  refunder --> noter
}
`;

const functions = `
const slips = new Map();
export function create(slip) { slips.set(slip.id, slip); return slip; }
export function update(slip) { slips.set(slip.id, slip); return slip; }
export function remove(slip) { slips.delete(slip.id); return slip; }
export function query() { return [...slips.values()]; }
export const copied = (instance) => instance;
export function ask(event, context) { if (event.about === 'later') context.suspend(); return { word: event.about }; }
`;

export interface Desk {
  /** Every request has the token of an admin, where there are users. */
  readonly app: App;
  /** What the language model says to the next questions. */
  says(...replies: readonly ServerReply[]): void;
  /** The code of the mail with this number to a user. */
  code(email: string, number: number): Promise<string>;
}

export const url = 'https://desk.example.com';
export const home = 'https://desk.example.com/home';

export async function serveDesk(surfaces: readonly ('current' | 'earlier')[], peer: OidcPeer | undefined): Promise<Desk> {
  const language = await modelServer();
  const mail = await mailServer();
  const options: Options = { surfaces, graphql: true, mcp: true, llm: language.settings, timers: { enabled: false } };
  const secured: Options =
    peer === undefined
      ? {}
      : {
          system: ['auth', 'rbac', 'audit'],
          audit: {},
          auth: {
            url,
            mail: mailSettings(mail),
            superuser: admin,
            redirects: [home],
            providers: [{ ...peer, name: 'acme', scopes: ['openid', 'email'] }],
          },
        };
  const { app } = await serve({ 'desk.al': model, 'desk.js': functions }, { ...options, ...secured });
  return {
    app: peer === undefined ? app : await asAdmin(app, surfaces),
    says: language.says,
    code: mail.code,
  };
}
