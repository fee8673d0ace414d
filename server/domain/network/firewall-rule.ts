import type { FirewallRuleRow } from '../../db/queries/vms/network.ts';
import { parseNetwork } from '../../platform/cidr.ts';
import { type FieldProblem, validationFailed } from '../../platform/errors.ts';
import { formatPorts, parsePorts } from './ports.ts';

export const DIRECTIONS = ['in', 'out'] as const;
export const ACTIONS = ['accept', 'drop'] as const;
export const PROTOCOLS = ['tcp', 'udp', 'icmp', 'icmpv6', 'esp', 'gre', 'any'] as const;

/** The fields that decide which packets a rule matches. */
export type Match = Pick<FirewallRuleRow, 'protocol' | 'ports' | 'cidrs'>;

/** Protocols that only exist in one address family. */
const FAMILY_OF: Partial<Record<Match['protocol'], 4 | 6>> = { icmp: 4, icmpv6: 6 };

/**
 * Normalizes a rule's match, so that duplicates are found; throws `validation_failed`, naming every problem, if it
 * makes no sense.
 */
export function requireMatch(match: Match): Match {
  const problems: FieldProblem[] = [];
  const ports = match.ports === null ? null : checkPorts(match.protocol, match.ports, problems);
  const cidrs = checkCidrs(match, problems);
  if (problems.length > 0) throw validationFailed(problems);
  return { protocol: match.protocol, ports, cidrs };
}

function checkPorts(protocol: Match['protocol'], text: string, problems: FieldProblem[]): string {
  if (protocol !== 'tcp' && protocol !== 'udp') {
    const message = `must be omitted: ${protocol} has no ports`;
    problems.push({ field: 'ports', code: 'conflict', message });
    return text;
  }
  const range = parsePorts(text);
  if (range) return formatPorts(range);
  const message = 'must be a port such as "443" or a range such as "1024-5000", from 1 to 65535';
  problems.push({ field: 'ports', code: 'invalid_format', message });
  return text;
}

function checkCidrs({ protocol, cidrs }: Match, problems: FieldProblem[]): string[] {
  const seen = new Set<string>();
  for (const [index, text] of cidrs.entries()) {
    const result = checkCidr(protocol, text);
    const problem =
      typeof result === 'object'
        ? result
        : seen.has(result) && { code: 'duplicate' as const, message: `${text} is already in the list` };
    if (problem) problems.push({ field: `cidrs.${index}`, ...problem });
    else seen.add(result as string);
  }
  return [...seen];
}

/** Returns the canonical text of a network that a rule with this protocol may have, or the problem with it. */
function checkCidr(protocol: Match['protocol'], text: string): string | Omit<FieldProblem, 'field'> {
  const cidr = parseNetwork(text);
  if (!cidr)
    return {
      code: 'invalid_format',
      message: 'must be an address or a network such as 203.0.113.0/24 or 2001:db8::/32',
    };
  if (cidr.hasHostBits)
    return { code: 'invalid_format', message: `${text} has bits set to the right of its prefix` };
  const family = FAMILY_OF[protocol];
  if (family && family !== cidr.family) {
    return { code: 'conflict', message: `${protocol} needs IPv${family} networks` };
  }
  return cidr.text;
}

/**
 * The policy for packets that match no rule of a VM: unsolicited incoming packets are dropped (customers open the ports
 * that they serve), outgoing ones are allowed. Replies to the VM's own connections always come in.
 */
export const DEFAULT_POLICY = { in: 'drop', out: 'accept' } as const;
