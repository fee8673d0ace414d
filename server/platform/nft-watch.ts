import type { ChildProcess } from 'node:child_process';
import { changeReader, listen } from './nft-changes.ts';

export interface TableWatchOptions {
  /** Matches a line of `nft monitor` about our tables. */
  ours: RegExp;
  /** The table that is added and deleted in each of our own changes. */
  signature: string;
  /** Devices that the tables are attached to. */
  devices?: readonly string[];
  /** Something other than us may have altered our tables; called at least once for each change. */
  onDoubt(): void;
}

/**
 * Detects immediately when another process alters our tables or when a device disappears: the kernel announces both. If
 * the listening programs end, everything counts as altered; the next `start` runs them again.
 */
export class TableWatch {
  readonly #options: TableWatchOptions;
  #children: ChildProcess[] = [];

  constructor(options: TableWatchOptions) {
    this.#options = options;
  }

  /** Starts listening; does nothing if it already is. */
  start(): void {
    if (this.#children.length > 0) return;
    const { ours, signature, devices = [], onDoubt } = this.#options;
    const end = () => {
      if (this.#children.length === 0) return;
      this.close();
      onDoubt();
    };
    const reader = changeReader({ ours, signature, onForeign: onDoubt, onLost: onDoubt });
    this.#children = [listen('nft', ['monitor'], { line: reader, end })];
    if (devices.length === 0) return;
    const links = new RegExp(`: (${devices.map((name) => name.replaceAll('.', '\\.')).join('|')})[@:]`);
    const onLink = (line: string) => {
      if (links.test(line)) onDoubt();
    };
    this.#children.push(listen('ip', ['-o', 'monitor', 'link'], { line: onLink, end }));
  }

  close(): void {
    for (const child of this.#children.splice(0)) child.kill('SIGKILL');
  }
}
