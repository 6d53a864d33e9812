// The open connections: how many there may be, of one client and in all, and what is under way on each of them.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerLimits } from './limits.ts';
import { clientNetwork } from './network.ts';

export interface Connections {
  /** Whether one more connection of this address may stay; the caller closes it when not. */
  enter(address: string): boolean;
  leave(address: string): void;
  /** What is under way on a connection. */
  of(socket: Socket): Activity;
}

export interface Activity {
  /** The network of the client, worked out once for all requests. */
  readonly network: string;
  /** Requests that have arrived and are not answered yet. */
  pending: number;
  /** The answer that is being made or sent, and those requests that have arrived behind it. */
  current: ServerResponse | undefined;
  readonly waiting: (() => void)[];
  /** Whether the last of them is still being received. */
  receiving: boolean;
}

export function connections(limits: Pick<ServerLimits, 'connections' | 'connectionsPerAddress'>, trustProxy: boolean): Connections {
  /** By the network of the client. */
  const perAddress = new Map<string, number>();
  const activities = new WeakMap<Socket, Activity>();
  let total = 0;
  return {
    enter: (address) => {
      const network = clientNetwork(address);
      const count = perAddress.get(network) ?? 0;
      if (total >= limits.connections) return false;
      if (count >= limits.connectionsPerAddress && !isShared(address, trustProxy)) return false;
      total += 1;
      perAddress.set(network, count + 1);
      return true;
    },
    leave: (address) => {
      total -= 1;
      const network = clientNetwork(address);
      const count = (perAddress.get(network) ?? 1) - 1;
      if (count === 0) perAddress.delete(network);
      else perAddress.set(network, count);
    },
    of: (socket) => {
      const known = activities.get(socket);
      if (known !== undefined) return known;
      const network = clientNetwork(socket.remoteAddress ?? '');
      const fresh: Activity = { network, pending: 0, current: undefined, waiting: [], receiving: false };
      activities.set(socket, fresh);
      return fresh;
    },
  };
}

/** Behind one address of a proxy, and on the machine itself, are many callers. */
function isShared(address: string, trustProxy: boolean): boolean {
  return trustProxy || address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
}
