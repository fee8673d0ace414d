import { TOTP_PURPOSE } from '../../../access/totp.ts';
import type { Database, Transaction } from '../../../db/database.ts';
import {
  lockJobInputs,
  lockSealedReplies,
  type ReplyPlace,
  setJobInput,
  setReply,
} from '../../../db/queries/access/sealed.ts';
import { lockTotps, setTotpSecret } from '../../../db/queries/access/totps.ts';
import { lockSealedMails, setMailValues } from '../../../db/queries/service/mails.ts';
import { SEALED_FOR } from '../../../domain/vms/job-inputs.ts';
import { resealOpsKeys } from '../../../guest-ssh/ops-keys.ts';
import { REPLY_PURPOSE } from '../../../http/idempotency.ts';
import { MAIL_PURPOSE } from '../../../mail/outbox.ts';
import { type SecretBox, UnknownKeyError } from '../../../platform/secrets.ts';

/** Rows per transaction: few enough that no request has to wait for them. */
const BATCH = 100;

export interface Resealed {
  /** The key that sealed values use now. */
  key_id: string;
  resealed: number;
  /** Already sealed with that key. */
  unchanged: number;
  /** Sealed with a key that is not configured, so they cannot be opened here. */
  unreadable: number;
}

interface Parts {
  db: Database;
  secrets: SecretBox;
}

/**
 * Reseals everything in the database with the first of the configured keys, in batches with a transaction each. If it
 * is killed, nothing is lost and another call does the rest.
 */
export async function resealAll({ db, secrets }: Parts): Promise<Resealed> {
  const count: Resealed = { key_id: secrets.keyId, resealed: 0, unchanged: 0, unreadable: 0 };
  /** Returns the value sealed with the current key, or undefined if there is nothing to write. */
  const renew = (sealed: string, purposes: readonly string[]): string | undefined => {
    if (sealed.startsWith(`${secrets.keyId}.`)) {
      count.unchanged++;
      return undefined;
    }
    for (const purpose of purposes) {
      try {
        const again = secrets.seal(secrets.open(sealed, purpose), purpose);
        count.resealed++;
        return again;
      } catch (error) {
        if (error instanceof UnknownKeyError && sealed.includes('.')) break;
      }
    }
    count.unreadable++;
    return undefined;
  };
  await db.transaction((tx) => resealOpsKeys(tx, renew));
  let job: string | undefined = '';
  while (job !== undefined) {
    const after: string = job;
    job = await db.transaction((tx) => resealJobs(tx, { db, secrets }, after, renew));
  }
  let person: string | undefined = '';
  while (person !== undefined) {
    const after: string = person;
    person = await db.transaction((tx) => resealTotps(tx, after, renew));
  }
  let reply = await db.transaction((tx) => resealReplies(tx, undefined, renew));
  while (reply) {
    const after: ReplyPlace = reply;
    reply = await db.transaction((tx) => resealReplies(tx, after, renew));
  }
  let mail: string | undefined = '';
  while (mail !== undefined) {
    const after: string = mail;
    mail = await db.transaction((tx) => resealMails(tx, after, renew));
  }
  return count;
}

/** Reseals one batch of authenticator app secrets. Returns where the next batch begins, or undefined after the last. */
async function resealTotps(tx: Transaction, after: string, renew: Renew): Promise<string | undefined> {
  const rows = await lockTotps(tx, after, BATCH);
  for (const { person_id, secret } of rows) {
    const again = renew(secret, [TOTP_PURPOSE]);
    if (again !== undefined) await setTotpSecret(tx, person_id, again);
  }
  return rows.length < BATCH ? undefined : rows.at(-1)!.person_id;
}

type Renew = (sealed: string, purposes: readonly string[]) => string | undefined;

/** Reseals one batch of job inputs. Returns where the next batch begins, or undefined after the last. */
async function resealJobs(
  tx: Transaction,
  { secrets }: Parts,
  after: string,
  renew: Renew,
): Promise<string | undefined> {
  const jobs = await lockJobInputs(tx, after, BATCH);
  for (const { id, input } of jobs) {
    const changed: Record<string, unknown> = {};
    const { sealed_password: password, sealed_user_data: sealedData, user_data: data } = input;
    if (typeof password === 'string')
      changed.sealed_password = renew(password, [SEALED_FOR.create, SEALED_FOR.reset]);
    if (typeof sealedData === 'string') changed.sealed_user_data = renew(sealedData, [SEALED_FOR.userData]);
    // From an older release, which stored it unencrypted.
    else if (typeof data === 'string') {
      changed.sealed_user_data = secrets.seal(data, SEALED_FOR.userData);
      changed.user_data = null;
    }
    for (const [name, value] of Object.entries(changed)) if (value === undefined) delete changed[name];
    if (Object.keys(changed).length > 0) await setJobInput(tx, id, { ...input, ...changed });
  }
  return jobs.length < BATCH ? undefined : jobs.at(-1)!.id;
}

async function resealReplies(
  tx: Transaction,
  after: ReplyPlace | undefined,
  renew: Renew,
): Promise<ReplyPlace | undefined> {
  const replies = await lockSealedReplies(tx, after, BATCH);
  for (const { reply, ...place } of replies) {
    const again = renew(reply, [REPLY_PURPOSE]);
    if (again !== undefined) await setReply(tx, place, again);
  }
  return replies.length < BATCH ? undefined : replies.at(-1);
}

/** Reseals one batch of unsent mails. Returns where the next batch begins, or undefined after the last. */
async function resealMails(tx: Transaction, after: string, renew: Renew): Promise<string | undefined> {
  const mails = await lockSealedMails(tx, after, BATCH);
  for (const { id, sealed_values } of mails) {
    const again = renew(sealed_values, [MAIL_PURPOSE]);
    if (again !== undefined) await setMailValues(tx, id, again);
  }
  return mails.length < BATCH ? undefined : mails.at(-1)!.id;
}
