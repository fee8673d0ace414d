import { COUNTS_TABLE, PROXY_TABLE, RULES_TABLE } from './names.ts';
import { nft } from './program.ts';

/** A change to our tables as `nft monitor` prints it; matches whole names, so samples are excluded. */
export const OURS = new RegExp(
  `^\\S+ \\S+ (netdev (${RULES_TABLE}|${COUNTS_TABLE})|inet ${PROXY_TABLE})( |$)`,
);

/**
 * Returns true if every base chain is attached to all these devices: a device that disappears is detached. Reads the
 * text, because the JSON of nft 1.0.6 leaves out the devices.
 */
export async function isAtDevices(devices: readonly string[]): Promise<boolean> {
  const text = await nft(['list', 'chains', 'netdev']);
  const tables = text.split(/^table netdev /m).slice(1);
  const chains = tables
    .filter((table) => [RULES_TABLE, COUNTS_TABLE].some((name) => table.startsWith(`${name} {`)))
    .flatMap((table) => table.split('\n').flatMap((line) => devicesIn(line) ?? []));
  return chains.length === CHAINS && chains.every((at) => devices.every((name) => at.includes(name)));
}

/** The chains that count incoming packets, drop, and count passed packets. */
const CHAINS = 3;

const HOOK = ' hook ingress device';

/**
 * Returns the devices in the header of a base chain; undefined for another line. nft prints `device "e0"` for one, and
 * for several `devices = { e0, e2 }`, quoted or not depending on its version.
 */
function devicesIn(line: string): [string[]] | undefined {
  const start = line.indexOf(HOOK);
  if (start < 0) return undefined;
  const [, ...names] = line.slice(start + HOOK.length, line.lastIndexOf(' priority ')).split(/[^\w.-]+/);
  return [names.filter(Boolean)];
}
