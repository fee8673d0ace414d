import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { readDetails } from '../fastnetmon.ts';
import { parseCount } from '../option-values.ts';
import { print, printJson } from '../output.ts';

/** A day. FastNetMon ends a ban after half an hour unless its `ban_time` says otherwise. */
const DEFAULT_SECONDS = 86_400;

export function addShieldFastnetmon(parent: Command): void {
  parent
    .command('fastnetmon')
    .description(
      "handle a call of FastNetMon's notify script, with the details on standard input: a ban is an attack on the target",
    )
    .argument('<address>', 'the address')
    .argument('<direction>', 'incoming or outgoing; the latter is ignored')
    .argument('<pps>', 'packets per second', parseCount)
    .argument('<action>', 'ban, attack_details or unban')
    .option('--seconds <number>', 'how long a ban lasts if it is never lifted', parseCount, DEFAULT_SECONDS)
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl shield fastnetmon 203.0.113.9 incoming 98350 ban <details.txt
  $ vaubanctl shield fastnetmon 203.0.113.9 incoming 98350 unban`,
    )
    .action(
      async (
        ip: string,
        direction: string,
        pps: number,
        action: string,
        { seconds }: { seconds: number },
        command: Command,
      ) => {
        const { client, json } = contextOf(command);
        if (direction !== 'incoming')
          return print(`${direction} traffic of ${ip} is not handled by the Shield.`);
        if (action === 'unban') {
          const { attack_id } = await client.post('/attacks/reports/end', { body: { ip } });
          if (json) return printJson({ attack_id });
          return print(attack_id ? `${attack_id} on ${ip} is over.` : `No attack was reported for ${ip}.`);
        }
        if (action !== 'ban' && action !== 'attack_details')
          command.error(`error: ${action} is neither ban, attack_details nor unban`);
        const details = readDetails(await text(process.stdin));
        const reported = await client.post('/attacks/reports', { body: { ip, pps, seconds, ...details } });
        if (json) printJson(reported);
        else print(`${reported.attack_id} on ${ip}: ${pps} packets per second.`);
      },
    );
}
