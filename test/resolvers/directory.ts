// The specification's example of another system: a directory of users, and an event that it does, in both syntaxes.

/** Keeps users in memory, and counts what it is asked. */
export const directory = `
const users = new Map();
export const calls = [];
export function create(user) { calls.push('create'); users.set(user.Email, user); return user; }
export function update(user, { before }) { calls.push('update ' + before.Name); users.set(user.Email, user); }
export function remove(user) { calls.push('delete'); users.delete(user.Email); return user; }
export async function query([type, { where }]) {
  calls.push('query ' + type + ' ' + JSON.stringify(where ?? null));
  return [...users.values()];
}
export function run(event) { return { 'Ext.Core/ExternalResult': { Y: event.X * 100 } }; }
`;

export const current = `
module Ext.Core
import "directory.js" @as directory
entity ExternalUser { Email Email @id, Name String, Age Int @optional }
record ExternalResult { Y Int }
event ExternalEvent { X Int }
workflow TriggerExternalEvent { {ExternalEvent {X TriggerExternalEvent.Z}} }
event TriggerExternalEvent { Z Int }
resolver Directory [Ext.Core/ExternalUser, "Ext.Core/ExternalEvent"] {
  create directory.create, update directory.update, delete directory.remove, query directory.query, eval directory.run
}
`;

export const earlier = `
(component :Ext.Core)
(entity :ExternalUser {:Email {:type :Email :guid true} :Name :String :Age {:type :Int :optional true}})
(record :ExternalResult {:Y :Int})
(event :ExternalEvent {:X :Int})
(event :TriggerExternalEvent {:Z :Int})
(dataflow :TriggerExternalEvent {:ExternalEvent {:X :TriggerExternalEvent.Z}})
(def users (atom {}))
(defn create-user [user] (swap! users assoc (:Email user) user) user)
(defn find-users [[entity {[op attr value] :where}]]
  (if (= op :=) (filter #(= (get % attr) value) (vals @users)) (vals @users)))
(defn remove-user [user] (swap! users dissoc (:Email user)) user)
(resolver :Directory
  {:with-methods {:create create-user
                  :update create-user
                  :delete remove-user
                  :query find-users
                  :eval (fn [event] {:Ext.Core/ExternalResult {:Y (* 100 (:X event))}})}
   :paths [:Ext.Core/ExternalUser :Ext.Core/ExternalEvent]})
`;
