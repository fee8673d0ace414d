import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { LONG_TIMEOUT_MS } from '../operator-client.ts';
import { parseCount } from '../option-values.ts';
import { printJson } from '../output.ts';
import { printHosts } from '../print-hosts.ts';

interface Options {
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
    .option('--yes', 'do not ask')
    .action(async (host: string | undefined, { timeout, yes }: Options, command: Command) => {
      const { client, json } = contextOf(command);
      if (host !== undefined) {
        if (timeout !== undefined)
          throw new Failure(['--timeout is for shutting guests down, not for a host'], 2);
        await confirm(`Move all VMs away from ${host}?`, yes);
        const drained = await client.post('/hosts/{host}/drain', { params: { host } });
        return json ? printJson(drained) : printHosts([drained]);
      }
      await confirm('Shut down all guests of this host?', yes);
      const drained = await client.post('/host/drain', {
        body: { timeout_seconds: timeout },
        timeoutMs: LONG_TIMEOUT_MS,
      });
      if (json) printJson(drained);
      else
        console.log(
          `${drained.shut_down} guests were shut down, the power of ${drained.powered_off} was cut.`,
        );
      if (drained.left.length > 0) throw new Failure([`still on: ${drained.left.join(', ')}`], 1);
    });
}
