/** Beyond it a start that finds none of them would take longer than anybody waits. */
const MAX_SERVERS = 9;
/** What `target_session_attrs` may say: the service writes, and is of no use on a standby. */
const WRITABLE = ['read-write', 'primary'];

/**
 * The servers of one database that an address such as `postgres://user:password@a:5432,b:5432/name` names, each as an
 * address of its own; undefined where it is none.
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
    // A server that is asked for it would refuse the connection: it is for the client.
    server.searchParams.delete('target_session_attrs');
    servers.push(server.href);
  }
  return servers.length > MAX_SERVERS ? undefined : servers;
}

/** The hosts of an address as a sentence names them; its user and password are not among them. */
export function hostsOf(address: string): string {
  const servers = postgresServers(address) ?? [];
  return servers.map((server) => decodeURIComponent(new URL(server).host)).join(', ');
}
