import type { ChildProcess } from 'node:child_process';
import { changeReader, listen } from '../../platform/nft-changes.ts';
import { COUNTS_TABLE, PROXY_TABLE, RULES_TABLE } from './names.ts';
import { nft } from './program.ts';

/** A change of our tables, as `nft monitor` writes it: the name itself, not those of samples. */
const OURS = new RegExp(`^\\S+ \\S+ (netdev (${RULES_TABLE}|${COUNTS_TABLE})|inet ${PROXY_TABLE})( |$)`);

export interface WatchOptions {
  devices: readonly string[];
  signature: string;
  /** Something that is not our own may have altered what we made; called once or more for each change. */
  onDoubt(): void;
}

/**
 * Notices at once when another process has altered the tables, or when a device went: the kernel announces both. Where
 * the programs that listen end, all is in doubt, and they are started again when asked.
 */
export class EdgeWatch {
  readonly #options: WatchOptions;
  #children: ChildProcess[] = [];

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Listens from now on, if it does not yet. */
  start(): void {
    if (this.#children.length > 0) return;
    const { devices, signature, onDoubt } = this.#options;
    const end = () => {
      if (this.#children.length === 0) return;
      this.close();
      onDoubt();
    };
    const reader = changeReader({ ours: OURS, signature, onForeign: onDoubt, onLost: onDoubt });
    const ours = new RegExp(`: (${devices.map((name) => name.replaceAll('.', '\\.')).join('|')})[@:]`);
    const onLink = (line: string) => {
      if (ours.test(line)) onDoubt();
    };
    this.#children = [
      listen('nft', ['monitor'], { line: reader, end }),
      listen('ip', ['-o', 'monitor', 'link'], { line: onLink, end }),
    ];
  }

  close(): void {
    for (const child of this.#children.splice(0)) child.kill('SIGKILL');
  }
}

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
