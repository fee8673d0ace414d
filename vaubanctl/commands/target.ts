import type { Target } from '../../shared/api/operator.ts';
import { type Add, group, plain } from '../command.ts';
import { contextOf } from '../context.ts';
import { parseCount, TARGET, TENANT } from '../option-values.ts';
import { instant, print, printFields, printJson, printTable } from '../output.ts';

const add = plain('add', 'addTarget', {
  about: "protect an address of one of the account's VMs",
  args: { id: TENANT, ip: ['<address>', 'IPv4 or IPv6 address'] },
  options: { mode: ['--mode <mode>', 'always_on (the default), sensor (only detects) or off'] },
  print: printTarget,
});

const list: Add = (parent) => {
  parent
    .command('list')
    .description('list the targets of a tenant, or of all, newest first')
    .argument('[tenant]', TENANT[1])
    .action(async (id: string | undefined, _options: object, command) => {
      const { client, json } = contextOf(command);
      const targets = id ? await client.call('listTargets', { id }) : await client.call('listAllTargets');
      if (json) printJson(targets);
      else printTargets(targets);
    });
};

const mode = plain('mode', 'setTargetMode', {
  about: 'set the mode of a target',
  args: { id: TARGET, mode: ['<mode>', 'always_on, sensor (only detects) or off'] },
  print: printTarget,
});

const threshold: Add = (parent) => {
  parent
    .command('threshold')
    .description(
      'set the rate above which incoming traffic is an attack; values that are not given are learned from the usual traffic',
    )
    .argument(...TARGET)
    .option('--pps <number>', 'packets per second', parseCount)
    .option('--mbps <number>', 'megabits per second', parseCount)
    .option('--learnt', 'learn both from the usual traffic')
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl target threshold tgt_… --pps 20000 --mbps 200
  $ vaubanctl target threshold tgt_… --learnt`,
    )
    .action(async (id: string, { pps, mbps, learnt = false }: Threshold, command) => {
      const isNamed = pps !== undefined || mbps !== undefined;
      if (isNamed === learnt) command.error('error: name --pps, --mbps or both; or --learnt');
      const { client, json } = contextOf(command);
      const bps = mbps === undefined ? null : mbps * 1_000_000;
      const target = await client.call('setTargetThreshold', { id, pps: pps ?? null, bps });
      if (json) printJson(target);
      else printTarget(target);
    });
};

interface Threshold {
  pps?: number;
  mbps?: number;
  learnt?: boolean;
}

const blackhole: Add = (parent) => {
  parent
    .command('blackhole')
    .description('the last resort: drop everything to an address for a while, so that others stay reachable')
    .argument(...TARGET)
    .option('--minutes <number>', 'duration, at most a day; it ends automatically', parseCount)
    .option('--end', 'end it now')
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl target blackhole tgt_… --minutes 30
  $ vaubanctl target blackhole tgt_… --end`,
    )
    .action(async (id: string, { minutes, end = false }: { minutes?: number; end?: boolean }, command) => {
      if ((minutes !== undefined) === end) command.error('error: name --minutes or --end');
      const { client, json } = contextOf(command);
      const target = await client.call('setTargetBlackhole', { id, minutes: minutes ?? null });
      if (json) printJson(target);
      else printTarget(target);
    });
};

const remove = plain('remove', 'removeTarget', {
  about: 'end the protection of an address and delete its rules',
  args: { id: TARGET },
  print: ({ id }) => print(`Target ${id} was removed.`),
});

const edge = ({ mode, on_edge }: Target) => (mode === 'off' ? 'off' : on_edge ? 'in force' : 'pending');

/** Formats the traffic above which a target counts as under attack. */
function thresholdOf({ threshold: { pps, bps } }: Target): string {
  const parts = [
    ...(pps === null ? [] : [`${pps} packets/s`]),
    ...(bps === null ? [] : [`${bps / 1_000_000} Mbit/s`]),
  ];
  return parts.join(', ') || 'learnt';
}

export function printTargets(targets: Target[]): void {
  printTable(
    ['ID', 'ADDRESS', 'VM', 'MODE', 'STATUS', 'RULES', 'EDGE', 'LAST ATTACK'],
    targets.map((target) => [
      target.id,
      target.ip,
      target.vm_id ?? '-',
      target.mode,
      target.status,
      String(target.rules_count),
      edge(target),
      instant(target.last_attack_at),
    ]),
  );
}

function printTarget(target: Target): void {
  printFields({
    id: target.id,
    tenant: target.tenant_id,
    address: target.ip,
    vm: target.vm_id ?? '-',
    mode: target.mode,
    status: target.status,
    rules: String(target.rules_count),
    threshold: thresholdOf(target),
    edge: edge(target),
    ...(target.blackholed_until && { 'blackholed until': instant(target.blackholed_until) }),
    'last attack': instant(target.last_attack_at),
  });
}

export const target = group(
  'target',
  'addresses that the DDoS Shield protects',
  ...[add, list, mode, threshold, blackhole, remove],
);
