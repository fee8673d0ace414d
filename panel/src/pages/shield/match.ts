import type { ShieldRule } from '../../api/customer.ts';

type Words = Record<'anyTraffic' | 'fromPorts' | 'toPorts' | 'fragmentsOnly' | 'noFragments', string>;

/** Describes a rule's match on one line: "tcp from 203.0.113.0/24 to port 80, 443 flags +syn −ack". */
export function matchOf(rule: ShieldRule, words: Words): string {
  const parts = [rule.protocol === 'any' ? words.anyTraffic : String(rule.protocol)];
  if (rule.source) parts.push(`← ${rule.source}`);
  if (rule.source_ports.length > 0) parts.push(`${words.fromPorts} ${rule.source_ports.join(', ')}`);
  if (rule.destination_ports.length > 0) parts.push(`${words.toPorts} ${rule.destination_ports.join(', ')}`);
  const length = rule.packet_length as { min: number; max: number } | null;
  if (length) parts.push(`${length.min}–${length.max} B`);
  const flags = rule.tcp_flags as { set: string[]; unset: string[] } | null;
  if (flags)
    parts.push([...flags.set.map((flag) => `+${flag}`), ...flags.unset.map((flag) => `−${flag}`)].join(' '));
  if (rule.fragments !== 'any')
    parts.push(rule.fragments === 'only' ? words.fragmentsOnly : words.noFragments);
  return parts.join(' ');
}
