import type { HostMachine } from './operator-api.ts';
import { printTable } from './output.ts';

export function printHosts(hosts: HostMachine[]): void {
  const amount = (count: number | null) => (count === null ? 'no limit' : `${count}`);
  printTable(
    ['NAME', 'STATE', 'ZONES', 'VMS>', 'MOVING IN>', 'VCPU>', 'CORES>', 'RAM MB>', 'DISK GB>'],
    hosts.map((host) => [
      host.name,
      stateOf(host),
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

function stateOf({ draining, state, move_window }: HostMachine): string {
  const what = draining && state === 'unreachable' ? 'unreachable, draining' : state;
  if (!move_window || state === 'evacuated') return what;
  return `${what} from ${move_window.from_at} to ${move_window.to_at}`;
}
