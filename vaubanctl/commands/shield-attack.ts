import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import type { SimulatedAttack } from '../operator-api.ts';
import { parseCount } from '../option-values.ts';
import { print, printJson } from '../output.ts';

/** The service validates `vector`. */
interface Options {
  vector: SimulatedAttack['vector'];
  pps: number;
  seconds: number;
}

export function addShieldAttack(parent: Command): void {
  parent
    .command('attack')
    .description('attack a target on the simulated edge; refused on a real one')
    .argument('<target>', 'id of the target, tgt_…')
    .requiredOption(
      '--vector <name>',
      'syn_flood, udp_flood, dns_amplification, ntp_amplification, icmp_flood or fragment_flood',
    )
    .requiredOption('--pps <number>', 'packets per second', parseCount)
    .requiredOption('--seconds <number>', 'how long', parseCount)
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl shield attack tgt_… --vector dns_amplification --pps 200000 --seconds 120`,
    )
    .action(async (id: string, options: Options, command: Command) => {
      const { client, json } = contextOf(command);
      const { vector, pps, seconds } = options;
      const attack = await client.post('/targets/{id}/attack', {
        params: { id },
        body: { vector, pps, seconds },
      });
      if (json) printJson(attack);
      else print(`${vector} of ${pps} packets per second on ${id} for ${seconds} s.`);
    });
}
