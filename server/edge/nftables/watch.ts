import { COUNTS_TABLE, PROXY_TABLE, RULES_TABLE } from './names.ts';
import { nft } from './program.ts';

/** A change to our tables as `nft monitor` prints it; matches whole names, so samples are excluded. */
export const OURS = new RegExp(
  `^\\S+ \\S+ (netdev (${RULES_TABLE}|${COUNTS_TABLE})|inet ${PROXY_TABLE})( |$)`,
);

/** Returns true if every base chain is attached to all these devices: a device that disappears is detached. */
export async function isAtDevices(devices: readonly string[]): Promise<boolean> {
  const text = await nft(['list', 'chains', 'netdev']);
  const tables = text.split(/^table netdev /m).slice(1);
  const chains = tables
    .filter((table) => [RULES_TABLE, COUNTS_TABLE].some((name) => table.startsWith(`${name} {`)))
    .flatMap((table) => table.match(/^.*\bhook ingress\b.*$/gm) ?? []);
  return (
    chains.length === CHAINS && chains.every((chain) => devices.every((name) => chain.includes(`"${name}"`)))
  );
}

/** The chains that count incoming packets, drop, and count passed packets. */
const CHAINS = 3;
