import { type ChildProcess, spawn } from 'node:child_process';
import { ENVIRONMENT } from './nft.ts';
import { readLines } from './peer/lines.ts';

const END_OF_CHANGE = /^# new generation /;
/** A change of a set of ten thousand elements is announced in one line. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const LOST = /lost some netlink events/;

/** What a reader of `nft monitor` tells, change by change. */
export interface ChangeListener {
  /** A line about tables of ours. */
  ours: RegExp;
  /** The table that is made and gone in each change of our own. */
  signature: string;
  /** A change of our own has been announced. */
  onSigned?(): void;
  /** Somebody else has changed tables of ours. */
  onForeign(): void;
  /** The kernel announced more than there was room for. */
  onLost(): void;
}

/** Reads the lines of `nft monitor`; those of one change are seen as one. */
export function changeReader(listener: ChangeListener): (line: string) => void {
  const signed = ` ${listener.signature}`;
  let isOurs = false;
  let isSigned = false;
  return (line) => {
    if (LOST.test(line)) listener.onLost();
    else if (!END_OF_CHANGE.test(line)) {
      isOurs ||= listener.ours.test(line);
      isSigned ||= line.includes(signed);
    } else {
      if (isSigned) listener.onSigned?.();
      else if (isOurs) listener.onForeign();
      isOurs = false;
      isSigned = false;
    }
  };
}

/** Runs a program that tells of changes, line by line; it lives no longer than this process. */
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
  // One that cannot be understood is ended, which its listener takes for doubt.
  child.stdout.once('close', () => child.kill('SIGKILL'));
  child.once('error', on.end).once('close', on.end);
  return child;
}
