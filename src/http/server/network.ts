// Who counts as one client: an IPv4 address, or the network of an IPv6 one, as whoever has one address of it has all of them.

import { isIPv4, isIPv6 } from 'node:net';

/** Of an address as sockets and proxies write it: with brackets, a port or a zone. What is no address stays as it is. */
export function clientNetwork(given: string): string {
  if (isIPv4(given)) return given;
  const address = given.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return isIPv4(address) ? address : given;
  const inside = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(bare)?.[1];
  return inside ?? `${networkGroups(bare).join(':')}::/64`;
}

/** The first four groups, each without leading zeros. */
function networkGroups(address: string): readonly string[] {
  const [head = '', tail] = address.split('::');
  const groups = (text: string | undefined): readonly string[] => (text === undefined || text === '' ? [] : text.split(':'));
  const [first, last] = [groups(head), groups(tail)];
  // Four bytes in dots at the end stand for two groups.
  const missing = tail === undefined ? 0 : 8 - first.length - last.length - (address.includes('.') ? 1 : 0);
  const all = [...first, ...Array.from({ length: missing }, () => '0'), ...last];
  return all.slice(0, 4).map((each) => Number.parseInt(each, 16).toString(16));
}
