import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { Series, Vm } from '../../../sdk/src/index.ts';
import type { Io } from '../io.ts';
import { table } from '../output/table.ts';
import { bytes } from '../output/values.ts';
import { type GlobalOptions, Session } from '../session.ts';

/** The resolution of the series. */
const LOOK_EVERY_SECONDS = 10;
/** Leaves half of the key's rate limit to other programs. */
const REQUESTS_A_MINUTE = 60;

interface Load {
  vm: Vm;
  last: Record<string, number | null>;
}

/** Adds `vauban top`, which shows the current load of the VMs. */
export function addTop(program: Command, io: Io): void {
  program
    .command('top')
    .description('watch the load of your running VMs, busiest first')
    .option('--once', 'print it once')
    .option('--limit <n>', 'show this many VMs', limit, 20)
    .addHelpText('after', '\nExample:\n  $ vauban top --once')
    .action(async (_: object, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { once?: true; limit: number }>();
      await top(new Session(io, options), options);
    });
}

const limit = (text: string) => {
  if (!/^[1-9]\d?$|^100$/.test(text)) throw new InvalidArgumentError('It is 1 to 100.');
  return Number(text);
};

async function top(session: Session, options: { once?: true; limit: number }): Promise<void> {
  const { io, printer } = session;
  for (;;) {
    const loads = await read(session, options.limit);
    const isLive = !options.once && printer.isForPeople && io.stdout.isTTY === true;
    if (!printer.isForPeople)
      return printer.list(
        loads.map(({ vm, last }) => ({ id: vm.id, hostname: vm.hostname, ...last })),
        { columns: [] },
      );
    // Moves the cursor to the top left and clears the screen.
    printer.lines((isLive ? '\x1b[H\x1b[2J' : '') + rowsOf(loads).join('\n'));
    if (!isLive) return;
    const seconds = Math.max(LOOK_EVERY_SECONDS, ((loads.length + 1) * 60) / REQUESTS_A_MINUTE);
    try {
      await sleep(seconds * 1000, undefined, { signal: io.signal });
    } catch {
      return;
    }
  }
}

async function read({ client, io }: Session, most: number): Promise<Load[]> {
  const { signal } = io;
  const { data: vms } = await client.vms.list({ status: 'running', limit: most }, { signal }).page();
  const loads = await Promise.all(
    vms.map(async (vm) => ({ vm, last: lastOf(await client.vms.metrics(vm.id, {}, { signal })) })),
  );
  return loads.sort((a, b) => (b.last.cpu_percent ?? -1) - (a.last.cpu_percent ?? -1));
}

/** Returns the latest known value of each series. */
function lastOf({ series }: Series): Record<string, number | null> {
  const last = Object.entries(series).map(([name, { points }]): [string, number | null] => {
    const known = points.map(([, value]) => value).filter((value) => typeof value === 'number');
    return [name, known.at(-1) ?? null];
  });
  return Object.fromEntries(last);
}

/** The displayed series and their headings. */
const SHOWN: Record<string, string> = {
  cpu_percent: 'cpu %',
  ram_used_bytes: 'ram',
  disk_read_bytes_per_second: 'read/s',
  disk_write_bytes_per_second: 'written/s',
  net_in_bps: 'in Mbit/s',
  net_out_bps: 'out Mbit/s',
};

const rowsOf = (loads: Load[]) =>
  table<Load>(
    [
      { heading: 'vm', cell: ({ vm }) => vm.hostname },
      ...Object.entries(SHOWN).map(([name, heading]) => ({
        heading,
        cell: ({ last }: Load) => shown(name, last[name]),
      })),
    ],
    loads,
  );

function shown(name: string, value: number | null | undefined): unknown {
  if (value === null || value === undefined) return undefined;
  if (name.includes('bytes')) return bytes(Math.round(value));
  return Number((name.endsWith('_bps') ? value / 1e6 : value).toFixed(1));
}
