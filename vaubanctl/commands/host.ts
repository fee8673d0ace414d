import type { Capacity, HostMachine } from '../../shared/api/operator.ts';
import { type Add, group, plain } from '../command.ts';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { LONG_TIMEOUT_MS } from '../operator-client.ts';
import { parseCount, parseTimeAhead } from '../option-values.ts';
import { print, printJson, printTable } from '../output.ts';

const RESOURCES: Record<Capacity['resources'][number]['resource'], string> = {
  vcpu: 'virtual CPUs',
  dedicated_cores: 'dedicated cores',
  ram_mb: 'memory, MB',
  disk_gb: 'disk, GB',
};

const amount = (count: number | null) => (count === null ? 'no limit' : `${count}`);

const show = plain('show', 'getCapacity', {
  about: 'show the total, reserved and free capacity for VMs',
  isDefault: true,
  print: ({ resources, zones }) => {
    printTable(
      ['', 'TOTAL>', 'RESERVED>', 'FREE>'],
      resources.map(({ resource, total, reserved, free }) => [
        RESOURCES[resource],
        amount(total),
        `${reserved}`,
        amount(free),
      ]),
    );
    print(`Zones: ${zones === null ? 'all of the catalog' : zones.join(', ')}`);
  },
});

interface Options {
  from?: string;
  to?: string;
  timeout?: number;
  yes?: boolean;
}

const drain: Add = (parent) => {
  parent
    .command('drain [host]')
    .description(
      'move all VMs of a host to other hosts and place no new ones there; without a host, shut down all guests of this machine and ' +
        'start none until the service restarts, or `host resume`',
    )
    .option('--timeout <seconds>', 'time until guests are powered off (default: 90)', parseCount)
    .option(
      '--from <time>',
      'with a host: start of the window in which VMs are switched off and moved, such as 2027-01-31T02:00:00Z or 12h; their owners are notified now (default: at once)',
      parseTimeAhead,
    )
    .option('--to <time>', 'end of that window', parseTimeAhead)
    .option('--yes', 'do not ask for confirmation')
    .action(async (host: string | undefined, { from, to, timeout, yes }: Options, command) => {
      const { client, json } = contextOf(command);
      if (host !== undefined) {
        if (timeout !== undefined)
          throw new Failure(['--timeout is for shutting guests down, not for a host'], 2);
        await confirm(`Move all VMs away from ${host}?`, yes);
        const drained = await client.call('emptyHost', { host, from, to });
        return json ? printJson(drained) : printHosts([drained]);
      }
      if (from !== undefined || to !== undefined)
        throw new Failure(['--from and --to are for moves away from a host: name it'], 2);
      await confirm('Shut down all guests of this host?', yes);
      const drained = await client.call(
        'drainHost',
        { timeout_seconds: timeout },
        { timeoutMs: LONG_TIMEOUT_MS },
      );
      if (json) printJson(drained);
      else print(`Guests shut down: ${drained.shut_down}, powered off: ${drained.powered_off}.`);
      if (drained.left.length > 0) throw new Failure([`still on: ${drained.left.join(', ')}`], 1);
    });
};

const resume = plain('resume', 'resumeHost', {
  about: 'start all guests that should be running, after `host drain`',
  print: () => print('VMs that should be running are being started.'),
});

const list = plain('list', 'listHosts', { about: 'list the hosts of VMs', print: printHosts });

const change = (name: string, operation: 'undrainHost' | 'loseHost' | 'findHost', about: string) =>
  plain(name, operation, { about, args: { host: ['<host>'] }, print: (host) => printHosts([host]) });

function printHosts(hosts: HostMachine[]): void {
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

export const host = group(
  'host',
  'the hosts of VMs, and preparing them for a shutdown',
  ...[show, drain, resume, list],
  change('undrain', 'undrainHost', 'let a drained host accept VMs again'),
  change('lose', 'loseHost', 'make a simulated host unreachable'),
  change('find', 'findHost', 'make a simulated host reachable again'),
);
