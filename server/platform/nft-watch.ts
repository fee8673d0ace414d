import type { ChildProcess } from 'node:child_process';
import { changeReader, listen } from './nft-changes.ts';

export interface TableWatchOptions {
  /** A line of `nft monitor` about tables of ours. */
  ours: RegExp;
  /** The table that is made and gone in each change of our own. */
  signature: string;
  /** Devices that the tables hang on. */
  devices?: readonly string[];
  /** Something that is not our own may have altered what we made; called once or more for each change. */
  onDoubt(): void;
}

/**
 * Notices at once when another process has altered tables of ours, or when a device went: the kernel announces both. Where
 * the programs that listen end, all is in doubt, and they are started again when asked.
 */
export class TableWatch {
  readonly #options: TableWatchOptions;
  #children: ChildProcess[] = [];

  constructor(options: TableWatchOptions) {
    this.#options = options;
  }

  /** Listens from now on, if it does not yet. */
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
