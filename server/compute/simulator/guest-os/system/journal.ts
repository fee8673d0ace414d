import { happenings } from '../model/happenings.ts';
import type { LogLine } from './state.ts';
import type { System } from './system.ts';
import { HOG_UNIT, troubled } from './trouble.ts';
import { unitsOf } from './units.ts';

const HOUR_MS = 3_600_000;
/** Hours of cron messages shown: enough to scroll through. */
const HOURS_SHOWN = 48;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats a time as "Jan 01 00:00:30", in UTC. */
export function stamp(at: number): string {
  const date = new Date(at);
  const day = String(date.getUTCDate()).padStart(2, '0');
  return `${MONTHS[date.getUTCMonth()]} ${day} ${date.toISOString().slice(11, 19)}`;
}

/** Returns the kernel's messages of the latest boot, with seconds since its start. */
export function kernelLines({ guest, distribution }: System): { seconds: number; text: string }[] {
  return [
    `Linux version ${distribution.kernel} (gcc 14.2.0) #1 SMP PREEMPT_DYNAMIC`,
    'Command line: BOOT_IMAGE=/boot/vmlinuz root=/dev/vda1 ro console=tty0 console=ttyS0,115200',
    'Hypervisor detected: KVM',
    `Memory: ${guest.ramMb * 1024}K available`,
    `smp: Brought up 1 node, ${guest.vcpu} CPUs`,
    'PCI: Using configuration type 1 for base access',
    `virtio_blk virtio1: [vda] ${guest.diskGb * 1_953_125} 512-byte logical blocks (${guest.diskGb} GB)`,
    `virtio_net virtio0 ens3: ${guest.mac}`,
    'EXT4-fs (vda1): mounted filesystem r/w with ordered data mode',
    'systemd[1]: Detected virtualization kvm.',
    `systemd[1]: Hostname set to <${guest.hostname}>.`,
  ].map((text, index) => ({ seconds: index * 0.31, text }));
}

function line(at: number, unit: string, pid: number, text: string): LogLine {
  return { at, unit, pid, text };
}

function bootLines(system: System): LogLine[] {
  const { guest, bootedAt } = system;
  const until = guest.run?.bootUntil ?? bootedAt;
  const kernel = kernelLines(system).map(({ seconds, text }) =>
    line(Math.min(until, bootedAt + seconds * 1000), 'kernel', 0, text),
  );
  const started = unitsOf(system).map((unit) =>
    line(until, unit.name, 1, `Started ${unit.name}.service - ${unit.description}.`),
  );
  return [...kernel, ...started];
}

function troubleLines(system: System): LogLine[] {
  const { guest } = system;
  const at = guest.run?.bootUntil ?? 0;
  const lines: LogLine[] = [];
  if (troubled(guest.hostname, 'serviceFailed')) {
    lines.push(line(at + 1000, 'nginx', 1, 'nginx.service: Main process exited, code=killed, status=9/KILL'));
    lines.push(line(at + 1000, 'nginx', 1, "nginx.service: Failed with result 'signal'."));
  }
  if (troubled(guest.hostname, 'memHog')) {
    lines.push(line(at + 90_000, HOG_UNIT, 702, 'warning: 4096 reports held in memory, none was written'));
  }
  if (troubled(guest.hostname, 'diskFull')) {
    lines.push(
      line(at + 5000, 'app', 698, 'log level is debug: writing every step to /var/log/app/debug.log'),
    );
  }
  return lines;
}

function hourlyLines(system: System): LogLine[] {
  const now = system.now();
  const from = Math.max(system.guest.run?.bootUntil ?? now, now - HOURS_SHOWN * HOUR_MS);
  const lines: LogLine[] = [];
  for (let at = (Math.floor(from / HOUR_MS) + 1) * HOUR_MS + 1_020_000; at <= now; at += HOUR_MS) {
    lines.push(line(at, 'cron', 498, '(root) CMD (cd / && run-parts --report /etc/cron.hourly)'));
  }
  return lines;
}

/** Returns the journal since the latest boot, oldest first. */
export function journalOf(system: System): LogLine[] {
  const { id, guest, inside, bootedAt } = system;
  const now = system.now();
  const warnings = happenings(id, guest, now - HOURS_SHOWN * HOUR_MS, now).map((event) =>
    line(event.at.getTime(), 'kernel', 0, event.message),
  );
  const all = [
    ...bootLines(system),
    ...troubleLines(system),
    ...hourlyLines(system),
    ...warnings,
    ...inside.log.filter(({ at }) => at >= bootedAt),
  ];
  return all.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
}

/** Formats a line as syslog does. */
export function logText({ guest }: System, { at, unit, pid, text }: LogLine): string {
  const source = unit === 'kernel' ? 'kernel' : `${pid === 1 ? 'systemd' : unit}[${pid}]`;
  return `${stamp(at)} ${guest.hostname} ${source}: ${text}\n`;
}

export function journalText(system: System): string {
  return journalOf(system)
    .map((entry) => logText(system, entry))
    .join('');
}

export function authLog(system: System): string {
  return journalOf(system)
    .filter(({ unit }) => unit === 'ssh' || unit === 'sudo')
    .map((entry) => logText(system, entry))
    .join('');
}
