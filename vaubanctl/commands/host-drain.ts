import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { LONG_TIMEOUT_MS } from '../operator-client.ts';
import { parseCount, parseTimeAhead } from '../option-values.ts';
import { print, printJson } from '../output.ts';
import { printHosts } from '../print-hosts.ts';

interface Options {
  from?: string;
  to?: string;
  timeout?: number;
  yes?: boolean;
}

export function addHostDrain(parent: Command): void {
  parent
    .command('drain [host]')
    .description(
      'move all VMs of a host to other hosts and place no new ones there; without a host, shut down all guests of this machine and ' +
        'start none until the service restarts, or `host resume`',
    )
    .option('--timeout <seconds>', 'time until guests are powered off (default: 90)', parseCount)
    .option(
      '--from <time>',
      'with a host: from when on VMs are switched off to be moved, of which their owners are told now; such as 2027-01-31T02:00:00Z or 12h; at once when absent',
      parseTimeAhead,
    )
    .option('--to <time>', 'until when', parseTimeAhead)
    .option('--yes', 'do not ask for confirmation')
    .action(async (host: string | undefined, { from, to, timeout, yes }: Options, command: Command) => {
      const { client, json } = contextOf(command);
      if (host !== undefined) {
        if (timeout !== undefined)
          throw new Failure(['--timeout is for shutting guests down, not for a host'], 2);
        await confirm(`Move all VMs away from ${host}?`, yes);
        const drained = await client.post('/hosts/{host}/drain', { params: { host }, body: { from, to } });
        return json ? printJson(drained) : printHosts([drained]);
      }
      if (from !== undefined || to !== undefined)
        throw new Failure(['--from and --to are for moves away from a host: name it'], 2);
      await confirm('Shut down all guests of this host?', yes);
      const drained = await client.post('/host/drain', {
        body: { timeout_seconds: timeout },
        timeoutMs: LONG_TIMEOUT_MS,
      });
      if (json) printJson(drained);
      else print(`Guests shut down: ${drained.shut_down}, powered off: ${drained.powered_off}.`);
      if (drained.left.length > 0) throw new Failure([`still on: ${drained.left.join(', ')}`], 1);
    });
}
