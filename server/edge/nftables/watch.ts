import { COUNTS_TABLE, PROXY_TABLE, RULES_TABLE } from './names.ts';
import { nft } from './program.ts';

/** A change of our tables, as `nft monitor` writes it: the name itself, not those of samples. */
export const OURS = new RegExp(
  `^\\S+ \\S+ (netdev (${RULES_TABLE}|${COUNTS_TABLE})|inet ${PROXY_TABLE})( |$)`,
);

/** Whether every chain that packets enter is at all these devices: they leave it when they go. */
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

/** Those that count what comes in, drop, and count what passed. */
const CHAINS = 3;
