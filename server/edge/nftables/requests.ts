import { MAX_TARGETS } from '../../helpers/edge/operations.ts';
import { InvalidArgumentError } from '../../platform/strict-shapes.ts';
import { type EdgeReceipt, type EdgeRefusal, type EdgeTarget, EdgeUnavailableError } from '../driver.ts';
import type { Layout } from './layout.ts';

// Checks requests to the edge and selects the part of them that it can enforce.

/** More than the service allows for a target; the kernel evaluates the rules one after another for each packet. */
export const MAX_RULES_PER_TARGET = 1_000;

/** Throws {@link EdgeUnavailableError} if the target is new and would exceed the maximum. */
export function requireRoom(held: ReadonlyMap<string, unknown>, { id }: EdgeTarget): void {
  if (held.size >= MAX_TARGETS && !held.has(id))
    throw new EdgeUnavailableError(`this edge holds ${MAX_TARGETS} targets, and no more`);
}

/** Throws {@link InvalidArgumentError} if a target cannot be put here. */
export function requireTarget(
  { ip, family, rules }: EdgeTarget,
  field: string,
  isProtected: (ip: string) => boolean,
): void {
  if (!isProtected(ip)) {
    throw new InvalidArgumentError(`${field}.ip: is not in a network that this edge protects`);
  }
  if (ip.includes(':') !== (family === 6))
    throw new InvalidArgumentError(`${field}.family: is not that of ip`);
  if (rules.length > MAX_RULES_PER_TARGET) throw new InvalidArgumentError(`${field}.rules: are too many`);
}

/** Returns the targets with the rules that can be in force, and the refused rules. */
export function enforceable(
  targets: EdgeTarget[],
  { synProxy }: Layout,
): { targets: EdgeTarget[]; refused: EdgeRefusal[] } {
  if (synProxy) return { targets, refused: [] };
  const message = 'this edge cannot answer SYN packets for targets';
  const refused = targets.flatMap(({ id: targetId, rules }) =>
    rules
      .filter(({ rate }) => rate?.synProxy)
      .map(({ id: ruleId }): EdgeRefusal => ({ targetId, ruleId, field: 'rate', message })),
  );
  if (refused.length === 0) return { targets, refused };
  const kept = targets.map((target) => ({
    ...target,
    rules: target.rules.filter(({ rate }) => !rate?.synProxy),
  }));
  return { targets: kept, refused };
}

export function receiptOf(targets: EdgeTarget[], refused: EdgeRefusal[]): EdgeReceipt {
  const receipt = {
    targets: targets.length,
    rules: targets.reduce((sum, { rules }) => sum + rules.length, 0),
  };
  return refused.length > 0 ? { ...receipt, refused } : receipt;
}
