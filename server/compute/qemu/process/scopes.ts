import { access } from 'node:fs/promises';
import { run } from './command.ts';
import type { Share } from './limits.ts';

const SECOND_MICROSECONDS = 1_000_000;
const MEGA = 1_000_000;

export async function systemdRuns(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Returns the `busctl` arguments that put a process into its own scope, which ends with it. */
export function scopeArguments(share: Share, pid: number): string[] {
  const { id, cpus, memoryBytes, tasks } = share;
  const manager = [
    'org.freedesktop.systemd1',
    '/org/freedesktop/systemd1',
    'org.freedesktop.systemd1.Manager',
  ];
  const properties = [
    ['Description', 's', `Guest ${id}`],
    ['Slice', 's', 'vauban.slice'],
    // When the host shuts down, the scope stops only after that unit has shut the guests down.
    ['Before', 'as', '1', 'vauban-guests.service'],
    ['CPUQuotaPerSecUSec', 't', `${Math.round(cpus * SECOND_MICROSECONDS)}`],
    ['MemoryMax', 't', `${memoryBytes}`],
    ['TasksMax', 't', `${tasks}`],
    ...diskProperties(share),
    ['PIDs', 'au', '1', `${pid}`],
  ];
  const unit = ['ssa(sv)a(sa(sv))', `vauban-${id}.scope`, 'fail', `${properties.length}`];
  return ['call', ...manager, 'StartTransientUnit', ...unit, ...properties.flat(), '0'];
}

/** Given a directory, systemd finds the device of its file system. */
function diskProperties({ disk: { iops, mbps }, directory }: Share): string[][] {
  const both = (what: string, limit: number) =>
    ['Read', 'Write'].map((way) => [`IO${way}${what}Max`, 'a(st)', '1', directory, `${limit}`]);
  return [
    ...(iops === undefined ? [] : both('IOPS', iops)),
    ...(mbps === undefined ? [] : both('Bandwidth', mbps * MEGA)),
  ];
}

export async function holdInScope(share: Share, pid: number): Promise<void> {
  await run('busctl', ...scopeArguments(share, pid)).catch((error) => {
    // The guest was already running.
    if (!/already (exists|loaded)/.test(error.message)) throw error;
  });
}
