import type { HostMachine } from './operator-api.ts';
import { printTable } from './output.ts';

/** One line a host. */
export function printHosts(hosts: HostMachine[]): void {
  const amount = (count: number | null) => (count === null ? 'no limit' : `${count}`);
  printTable(
    ['NAME', 'STATE', 'ZONES', 'VMS>', 'MOVING IN>', 'VCPU>', 'CORES>', 'RAM MB>', 'DISK GB>'],
    hosts.map((host) => [
      host.name,
      host.draining && host.state === 'unreachable' ? 'unreachable, draining' : host.state,
      host.zones === null ? 'all' : host.zones.join(', '),
      `${host.vms}`,
      `${host.moving_in}`,
      amount(host.vcpu),
      amount(host.dedicated_cores),
      amount(host.ram_mb),
      amount(host.disk_gb),
    ]),
  );
}
