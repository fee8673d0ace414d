import { canonicalIp } from '../../platform/cidr.ts';
import type { EdgeTarget } from '../driver.ts';
import { blackholeBatch, blackholeChain, type Held, heldOf, putBatch, RuleNumbers } from './batch.ts';
import { baseBatch, type Layout, PRIORITY } from './layout.ts';
import { GUARD_TABLE, RULES_TABLE } from './names.ts';
import { listTables } from './program.ts';
import type { KernelState } from './state.ts';

const OF_RULES = `netdev ${RULES_TABLE} `;
const OF_GUARD = `netdev ${GUARD_TABLE} `;

/** Returns the batch that rebuilds the tables with these targets in them, and how the targets are held afterwards. */
export function everything(
  layout: Layout,
  epoch: string,
  targets: EdgeTarget[],
  found: KernelState | undefined,
): { lines: string[]; held: Map<string, Held>; numbers: RuleNumbers } {
  const numbers = new RuleNumbers();
  const held = new Map(
    targets.map((target) => {
      const blackholed = isStillBlackholed(target, found);
      return [target.id, { ...heldOf(target, undefined, numbers), blackholed }];
    }),
  );
  const lines = [
    ...baseBatch(layout, epoch),
    ...targets.flatMap((target) => putBatch(target, held.get(target.id)!, undefined, found?.counted)),
    ...[...held].flatMap(([id, one]) =>
      one.blackholed ? [...blackholeChain(id), ...blackholeBatch(id, one, true)] : [],
    ),
  ];
  return { lines, held, numbers };
}

function isStillBlackholed({ id, ip }: EdgeTarget, found: KernelState | undefined): boolean {
  const before = found?.held.get(id);
  return before?.ip === canonicalIp(ip) && before.blackholed;
}

/**
 * Applies a batch that deletes and recreates the tables. The kernel inserts a base chain in front of the one with the
 * same priority that it replaces, and checks at each of them whether it is in force: a packet that is between the two
 * at the moment of the switch passes both, which happens in one rebuild of a hundred at 200,000 packets per second.
 * So a copy of the new rules follows both chains until the switch is done. Packets that the copy drops are not
 * counted.
 */
export async function rebuild(lines: string[], apply: (lines: string[]) => Promise<void>): Promise<void> {
  const isThere = (await listTables(RULES_TABLE)).includes(RULES_TABLE);
  if (isThere) await apply(guardBatch(lines));
  await apply(lines);
  if (isThere) await apply([`delete table netdev ${GUARD_TABLE}`]);
}

/** Returns the part of the batch that drops, for the guard table. */
function guardBatch(lines: string[]): string[] {
  return [
    `add table netdev ${GUARD_TABLE}`,
    `delete table netdev ${GUARD_TABLE}`,
    `add table netdev ${GUARD_TABLE}`,
    ...lines
      .filter((line) => line.includes(OF_RULES))
      .map((line) =>
        line
          .replaceAll(OF_RULES, OF_GUARD)
          .replace(` priority ${PRIORITY.rules};`, ` priority ${PRIORITY.guard};`),
      ),
  ];
}
