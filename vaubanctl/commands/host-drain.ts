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
      'move all VMs of a host to others, and put no new one there; without a host, shut all guests of this machine down and ' +
        'start none until the service restarts, or `host resume`',
    )
    .option('--timeout <seconds>', 'after which their power is cut; 90 when absent', parseCount)
    .option(
      '--from <time>',
      'with a host: from when on VMs are switched off to be moved, of which their owners are told now; such as 2027-01-31T02:00:00Z or 12h; at once when absent',
      parseTimeAhead,
    )
    .option('--to <time>', 'until when', parseTimeAhead)
    .option('--yes', 'do not ask')
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
      else print(`${drained.shut_down} guests were shut down, the power of ${drained.powered_off} was cut.`);
      if (drained.left.length > 0) throw new Failure([`still on: ${drained.left.join(', ')}`], 1);
    });
}
