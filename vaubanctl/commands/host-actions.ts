import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { printJson } from '../output.ts';
import { printHosts } from '../print-hosts.ts';

/** Actions on one host whose reply is the host's new state. */
const ACTIONS = {
  undrain: 'let a drained host accept VMs again',
  lose: 'make a simulated host unreachable',
  find: 'make a simulated host reachable again',
} as const;

export function addHostActions(parent: Command): void {
  for (const [action, description] of Object.entries(ACTIONS)) {
    parent
      .command(`${action} <host>`)
      .description(description)
      .action(async (name: string, _options: object, command: Command) => {
        const { client, json } = contextOf(command);
        const host = await client.post(`/hosts/{host}/${action as keyof typeof ACTIONS}`, {
          params: { host: name },
        });
        if (json) printJson(host);
        else printHosts([host]);
      });
  }
}
