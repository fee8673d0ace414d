import type { Target } from './operator-api.ts';
import { instant, printFields, printTable } from './output.ts';

const edge = ({ mode, on_edge }: Target) => (mode === 'off' ? 'off' : on_edge ? 'in force' : 'pending');

/** Formats the traffic above which a target counts as under attack. */
function threshold({ threshold: { pps, bps } }: Target): string {
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

export function printTarget(target: Target): void {
  printFields({
    id: target.id,
    tenant: target.tenant_id,
    address: target.ip,
    vm: target.vm_id ?? '-',
    mode: target.mode,
    status: target.status,
    rules: String(target.rules_count),
    threshold: threshold(target),
    edge: edge(target),
    ...(target.blackholed_until && { 'blackholed until': instant(target.blackholed_until) }),
    'last attack': instant(target.last_attack_at),
  });
}
