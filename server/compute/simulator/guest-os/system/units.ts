import { seeded } from '../../../../platform/synthetic-load.ts';
import type { UnitChange } from './state.ts';
import type { System } from './system.ts';
import { HOG_UNIT, troubled } from './trouble.ts';

/** A service of the guest's init system. */
export interface Unit {
  name: string;
  description: string;
  command: string;
  /** Process id since the boot, unless the unit was restarted. */
  pid: number;
  user: string;
  /** TCP port that it listens on. */
  port?: number;
  /** Its share of the guest's CPU and memory, relative to the other processes. */
  weight: number;
}

const UNITS: Unit[] = [
  unit('cron', 'Regular background program processing daemon', '/usr/sbin/cron -f', 498, 1),
  unit('dbus', 'D-Bus System Message Bus', '/usr/bin/dbus-daemon --system', 501, 1),
  { ...unit('nginx', 'A high performance web server', 'nginx: master process', 655, 12), port: 80 },
  { ...unit('ssh', 'OpenBSD Secure Shell server', 'sshd: /usr/sbin/sshd -D', 612, 2), port: 22 },
  unit('systemd-journald', 'Journal Service', '/usr/lib/systemd/systemd-journald', 231, 3),
  unit('systemd-timesyncd', 'Network Time Synchronization', '/usr/lib/systemd/systemd-timesyncd', 389, 1),
  unit('unattended-upgrades', 'Unattended Upgrades Shutdown', '/usr/bin/python3 unattended-upgrade', 640, 4),
];

function unit(name: string, description: string, command: string, pid: number, weight: number): Unit {
  return { name, description, command, pid, weight, user: 'root' };
}

/** Returns all units of this guest, sorted by name. */
export function unitsOf({ guest }: System): Unit[] {
  const units = [...UNITS];
  if (troubled(guest.hostname, 'memHog')) {
    const hog = unit(HOG_UNIT, 'Nightly report worker', '/opt/report/worker --all', 702, 8);
    units.push({ ...hog, user: 'www-data' });
  }
  if (troubled(guest.hostname, 'diskFull')) {
    units.push(unit('app', 'Demo application', '/opt/app/server --log-level=debug', 698, 6));
  }
  return units.sort((a, b) => a.name.localeCompare(b.name));
}

/** Returns the unit for "ssh", "sshd" or "ssh.service", if there is one. */
export function unitNamed(system: System, name: string): Unit | undefined {
  const plain = name.replace(/\.service$/, '');
  return unitsOf(system).find((one) => one.name === (plain === 'sshd' ? 'ssh' : plain));
}

/** Returns a unit's state, since when it has it, and its process id while it is active. */
export function stateOf(system: System, unit: Unit): UnitChange & { pid: number } {
  const { guest, inside } = system;
  const change = inside.units[unit.name];
  // A boot restarts every unit.
  if (change && change.at >= system.bootedAt) {
    return { ...change, pid: 1000 + Math.floor(seeded(`${unit.name}/${change.at}`)() * 30_000) };
  }
  const at = guest.run?.bootUntil ?? system.now();
  const failed = unit.name === 'nginx' && troubled(guest.hostname, 'serviceFailed');
  return { active: failed ? 'failed' : 'active', at, pid: unit.pid };
}

/** Sets a unit's state and records that in the journal. */
export async function setUnit(
  system: System,
  unit: Unit,
  active: UnitChange['active'],
  text: string,
): Promise<void> {
  const at = system.now();
  await system.change((inside) => {
    inside.units[unit.name] = { active, at };
  });
  await system.log(unit.name, 1, text);
}
