/** With more servers, a start that reaches none of them would take longer than anyone waits. */
const MAX_SERVERS = 9;
/** Accepted values of `target_session_attrs`: the service writes, so a standby is useless to it. */
const WRITABLE = ['read-write', 'primary'];

/**
 * Splits an address such as `postgres://user:password@a:5432,b:5432/name` into one address per server; undefined if it
 * is invalid.
 */
export function postgresServers(address: string): string[] | undefined {
  const [, scheme, login = '', hosts, rest] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/.exec(address) ?? [];
  if (hosts === undefined) return undefined;
  const servers: string[] = [];
  for (const host of hosts.split(',')) {
    const server = URL.parse(`${scheme}${login}${host}${rest}`);
    if (!server || (host === '' && hosts !== '')) return undefined;
    const wanted = server.searchParams.get('target_session_attrs');
    if (wanted !== null && !WRITABLE.includes(wanted)) return undefined;
    // This parameter is for the client; a server would refuse a connection that sends it.
    server.searchParams.delete('target_session_attrs');
    servers.push(server.href);
  }
  return servers.length > MAX_SERVERS ? undefined : servers;
}

/** Returns the hosts of an address for use in a sentence, without user and password. */
export function hostsOf(address: string): string {
  const servers = postgresServers(address) ?? [];
  return servers.map((server) => decodeURIComponent(new URL(server).host)).join(', ');
}
