import { type ChildProcess, spawn } from 'node:child_process';
import { readLines } from '../peer/lines.ts';
import { ENVIRONMENT } from './program.ts';

const END_OF_CHANGE = /^# new generation /;
/** A change to a set of ten thousand elements is announced on a single line. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const LOST = /lost some netlink events/;

/** Callbacks for the changes that `nft monitor` reports. */
export interface ChangeListener {
  /** Our tables, with their families: "inet vauban". */
  tables: readonly string[];
  /** The table that is added and deleted in each of our own changes. */
  signature: string;
  /** One of our own changes was announced. */
  onSigned?(): void;
  /** Another process has changed our tables. */
  onForeign(): void;
  /** The kernel had more announcements than fit into its buffer. */
  onLost(): void;
}

/**
 * Returns a reader for the lines of `nft monitor`; the lines of one change are treated as one. It reads the text,
 * because the JSON does not say where a change ends, so a change could not be told from ours.
 */
export function changeReader(listener: ChangeListener): (line: string) => void {
  let isOurs = false;
  let isSigned = false;
  return (line) => {
    if (LOST.test(line)) listener.onLost();
    else if (!END_OF_CHANGE.test(line)) {
      // "add rule inet vauban guard …", "delete table inet vauban"
      const [, , family, name] = line.split(' ', 4);
      const table = `${family} ${name}`;
      isOurs ||= listener.tables.includes(table);
      isSigned ||= table === listener.signature;
    } else {
      if (isSigned) listener.onSigned?.();
      else if (isOurs) listener.onForeign();
      isOurs = false;
      isSigned = false;
    }
  };
}

/** Runs a program that reports changes line by line; it is killed when this process ends. */
export function listen(
  program: string,
  args: string[],
  on: { line(line: string): void; end(): void },
): ChildProcess {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: ENVIRONMENT,
  });
  readLines(child.stdout, {
    peer: program,
    onLine: (line) => on.line(line.toString()),
    maxBytes: MAX_LINE_BYTES,
  });
  // A program whose output cannot be understood is killed, and its listener assumes the worst.
  child.stdout.once('close', () => child.kill('SIGKILL'));
  child.once('error', on.end).once('close', on.end);
  return child;
}
