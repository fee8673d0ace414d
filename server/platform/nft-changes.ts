import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { ENVIRONMENT } from './nft.ts';

const END_OF_CHANGE = /^# new generation /;
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
  createInterface({ input: child.stdout }).on('line', on.line);
  child.once('error', on.end).once('close', on.end);
  return child;
}
