import { randomFillSync } from 'node:crypto';
import type { Clock } from './clock.ts';

/** The kinds of things that have ids; the prefix tells a reader (and a support ticket) what the id names. */
export type IdPrefix =
  | 'acc'
  | 'apk'
  | 'vm'
  | 'job'
  | 'fwr'
  | 'pfr'
  | 'snap'
  | 'key'
  | 'vol'
  | 'nic'
  | 'evt'
  | 'inv'
  | 'pay'
  | 'prm'
  | 'ord'
  | 'req'
  | 'node'
  | 'ten'
  | 'tgt'
  | 'rul'
  | 'atk'
  | 'shr'
  | 'vwr'
  | 'ars'
  | 'run'
  | 'msg'
  | 'cmd'
  | 'apr'
  | 'olg'
  | 'out'
  | 'mail'
  | 'prs'
  | 'mbr'
  | 'ses'
  | 'mtk'
  | 'psk'
  | 'dev'
  | 'aud'
  | 'top'
  | 'pmt'
  | 'rfd'
  | 'rvs'
  | 'ubp';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10; // 50 bits of milliseconds: good until the year 37,000
const RANDOM_CHARACTERS = 16; // 80 random bits: not guessable
/** Ids per call for random bytes: one call for each id would take a twentieth of a request's time. */
const IDS_A_FILL = 256;

const pool = Buffer.alloc(RANDOM_CHARACTERS * IDS_A_FILL);
let used = pool.length;

/** Returns random bytes for one id, never the same ones twice. */
function takeRandom(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += RANDOM_CHARACTERS;
  return pool.subarray(used - RANDOM_CHARACTERS, used);
}

function encodeTime(ms: number): string {
  let text = '';
  for (let rest = ms, i = 0; i < TIME_CHARACTERS; i++) {
    text = CROCKFORD[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/**
 * Returns a new id such as `vm_06f3k…`: prefix, time in milliseconds, 80 random bits. Ids of one kind sort by creation
 * time, so "newest first" is an index scan on the id and pagination needs no second column.
 */
export function newId(prefix: IdPrefix, clock: Clock): string {
  let random = '';
  for (const byte of takeRandom()) random += CROCKFORD[byte & 31];
  return `${prefix}_${encodeTime(clock.now().getTime())}${random}`;
}
