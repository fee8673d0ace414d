import { InvalidArgumentError } from '../../platform/helper/shapes.ts';
import { type EdgeReceipt, type EdgeRefusal, type EdgeTarget, EdgeUnavailableError } from '../driver.ts';
import type { Layout } from './layout.ts';

// What the edge is asked for, and what of that it does.

/** More than the service lets a target have; the kernel asks one after the other for each packet. */
export const MAX_RULES_PER_TARGET = 1_000;

/** Targets that an edge holds: the sets of their addresses have room for so many, and one message names them all. */
export const MAX_TARGETS = 20_000;

/** Throws {@link EdgeUnavailableError} where one that is not among those held would be one too many. */
export function requireRoom(held: ReadonlyMap<string, unknown>, { id }: EdgeTarget): void {
  if (held.size >= MAX_TARGETS && !held.has(id))
    throw new EdgeUnavailableError(`this edge holds ${MAX_TARGETS} targets, and no more`);
}

/** Throws {@link InvalidArgumentError} where a target cannot be put here. */
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

/** The targets with the rules that can be in force, and the others. */
export function enforceable(
  targets: EdgeTarget[],
  { synProxy }: Layout,
): { targets: EdgeTarget[]; refused: EdgeRefusal[] } {
  if (synProxy) return { targets, refused: [] };
  const message = 'this edge does not answer SYN in the place of targets';
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
