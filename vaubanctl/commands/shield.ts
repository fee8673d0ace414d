import { text } from 'node:stream/consumers';
import { Option } from 'commander';
import { type Add, group, plain, required } from '../command.ts';
import { contextOf } from '../context.ts';
import { readDetails } from '../fastnetmon.ts';
import { parseCount, TARGET } from '../option-values.ts';
import { instant, print, printJson, printTable } from '../output.ts';

/** About one screen of a terminal. */
const ATTACKS = 50;
/** A day. FastNetMon ends a ban after half an hour unless its `ban_time` says otherwise. */
const BAN_SECONDS = 86_400;

const attacks = plain('attacks', 'listAttacks', {
  about: 'list attacks on all targets, newest first',
  options: { status: new Option('--ongoing', 'only ongoing attacks').preset('ongoing') },
  count: [ATTACKS, `number of attacks (default: ${ATTACKS})`],
  print: (found) =>
    printTable(
      ['STARTED', 'ADDRESS', 'ACCOUNT', 'VECTORS', 'SEVERITY', 'PEAK PPS>', 'ENDED'],
      found.map((attack) => [
        instant(attack.started_at),
        attack.ip,
        attack.account_id,
        attack.vectors.join(', '),
        attack.severity,
        String(attack.peak_pps),
        attack.ended_at ? instant(attack.ended_at) : 'goes on',
      ]),
    ),
});

const attack = plain('attack', 'startAttack', {
  about: 'attack a target on the simulated edge; refused on a real one',
  args: { id: TARGET },
  options: {
    // The service validates it.
    vector: required(
      '--vector <name>',
      'syn_flood, udp_flood, dns_amplification, ntp_amplification, icmp_flood or fragment_flood',
    ),
    pps: required('--pps <number>', 'packets per second', parseCount),
    seconds: required('--seconds <number>', 'how long', parseCount),
  },
  help: `Examples:
  $ vaubanctl shield attack tgt_… --vector dns_amplification --pps 200000 --seconds 120`,
  print: (_, { id, vector, pps, seconds }) =>
    print(`${vector} of ${pps} packets per second on ${id} for ${seconds} s.`),
});

const stop = plain('stop', 'stopAttack', {
  about: 'end the simulated attacks on a target',
  args: { id: TARGET },
  print: ({ stopped }) => print(`Attacks ended: ${stopped}.`),
});

const fastnetmon: Add = (parent) => {
  parent
    .command('fastnetmon')
    .description(
      "handle a call of FastNetMon's notify script, with the details on standard input: a ban is an attack on the target",
    )
    .argument('<address>', 'the address')
    .argument('<direction>', 'incoming or outgoing; the latter is ignored')
    .argument('<pps>', 'packets per second', parseCount)
    .argument('<action>', 'ban, attack_details or unban')
    .option('--seconds <number>', 'how long a ban lasts if it is never lifted', parseCount, BAN_SECONDS)
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
        command,
      ) => {
        const { client, json } = contextOf(command);
        if (direction !== 'incoming')
          return print(`${direction} traffic of ${ip} is not handled by the Shield.`);
        if (action === 'unban') {
          const { attack_id } = await client.call('endReportedAttack', { ip });
          if (json) return printJson({ attack_id });
          return print(attack_id ? `${attack_id} on ${ip} is over.` : `No attack was reported for ${ip}.`);
        }
        if (action !== 'ban' && action !== 'attack_details')
          command.error(`error: ${action} is neither ban, attack_details nor unban`);
        const details = readDetails(await text(process.stdin));
        const reported = await client.call('reportAttack', { ip, pps, seconds, ...details });
        if (json) printJson(reported);
        else print(`${reported.attack_id} on ${ip}: ${pps} packets per second.`);
      },
    );
};

export const shield = group('shield', 'attacks, including simulated ones', attacks, attack, stop, fastnetmon);
