import { createHash } from 'node:crypto';
import {
  type Database,
  empty,
  maybeOne,
  one,
  type Queryable,
  raw,
  sql,
  type Transaction,
} from '../db/database.ts';
import { opsKeysInUse, recordedOpsKey, recordOpsKey } from '../db/queries/vm-ops-keys.ts';
import { ConfigError } from '../platform/config-error.ts';
import { type SecretBox, UnknownKeyError } from '../platform/secrets.ts';

const SETTING = 'ops_key';
const NAME = 'vauban-ops';
const PURPOSE = 'ops-key';
/** A server hangs up after six keys that it does not know. */
const OFFERED = 5;

/** The service's own SSH key pair, attached to every VM. */
export interface OpsKey {
  name: string;
  /** "SHA256:…", as ssh-keygen prints it. */
  fingerprint: string;
  /** One authorized_keys line. */
  publicKey: string;
  /** OpenSSH format. Never leaves the process. */
  privateKey: string;
}

interface StoredPair {
  public_key: string;
  sealed_private_key: string;
}

/** The current pair, and those before it that a guest may still authorize, newest first. */
interface StoredKeys extends StoredPair {
  previous?: StoredPair[];
}

/**
 * The pairs of the ops key: one is current, and those before it are kept while a guest has them. Read from the database
 * whenever one is needed, because another node may have rotated the key.
 *
 * A VM is recorded with the key that its guest has before the guest is made, and with a newer one only once that has
 * wholly replaced it. So a guest authorizes the recorded key or a newer one, and older ones are not needed.
 */
export class OpsKeys {
  readonly #db: Database;
  readonly #secrets: SecretBox;

  /** On a database that has the key; see {@link open}. */
  constructor(db: Database, secrets: SecretBox) {
    this.#db = db;
    this.#secrets = secrets;
  }

  /** The first start makes the key; of two nodes that start together, one makes it for both. */
  static async open(db: Database, secrets: SecretBox): Promise<OpsKeys> {
    const keys = new OpsKeys(db, secrets);
    if (!(await readKeys(db)))
      await db.query(sql`
        insert into settings (name, value) values (${SETTING}, ${JSON.stringify(await keys.#make())}::text::jsonb)
        on conflict do nothing`);
    await keys.#refuseUnknownKey();
    return keys;
  }

  /** The pair that new guests get. */
  async current(): Promise<OpsKey> {
    return (await this.all())[0]!;
  }

  /** The current pair, then those before it, newest first. */
  async all(tx: Queryable = this.#db): Promise<OpsKey[]> {
    return pairsOf((await readKeys(tx))!).map((pair) => this.#opened(pair));
  }

  /** Private keys, one of which the guest of this VM lets in; the likeliest first. */
  async offeredTo(vmId: string): Promise<string[]> {
    const keys = await this.all();
    const recorded = await recordedOpsKey(this.#db, vmId);
    const known = keys.findIndex(({ fingerprint }) => fingerprint === recorded);
    // None of those before the recorded one is in the guest.
    const possible = known < 0 ? keys : [keys[known]!, ...keys.slice(0, known)];
    return possible.slice(0, OFFERED).map(({ privateKey }) => privateKey);
  }

  /**
   * The pair that the guest of this VM is made with: the current one, on record from now on. Again, after a crash, it is the
   * same: the guest may be there with it.
   */
  async assignTo(tx: Transaction, vmId: string): Promise<OpsKey> {
    const [recorded, stored] = await Promise.all([
      recordedOpsKey(tx, vmId, true),
      // Until this is committed, none is dropped; others may be assigned meanwhile.
      readKeys(tx, 'share'),
    ]);
    const pairs = pairsOf(stored!);
    const given = pairs.find((pair) => fingerprintOf(pair) === recorded) ?? pairs[0]!;
    await recordOpsKey(tx, vmId, fingerprintOf(given));
    return this.#opened(given);
  }

  /** Makes another pair the current one. The one until now is kept until no guest has it. */
  async rotate(): Promise<void> {
    const made = await this.#make();
    await this.#db.transaction(async (tx) => {
      const previous = pairsOf((await readKeys(tx, 'no key update'))!);
      await writeKeys(tx, { ...made, previous });
    });
  }

  /** Drops the pairs that no guest has. How many there were. */
  dropUnused(): Promise<number> {
    return this.#db.transaction(async (tx) => {
      const [current, ...previous] = pairsOf((await readKeys(tx, 'no key update'))!);
      const used = await opsKeysInUse(tx);
      // A guest that nothing is recorded of may have any of them.
      if (used.includes(null)) return 0;
      const oldest = previous.findLastIndex((pair) => used.includes(fingerprintOf(pair)));
      const dropped = previous.splice(oldest + 1);
      if (dropped.length > 0) await writeKeys(tx, { ...current!, previous });
      return dropped.length;
    });
  }

  async #make(): Promise<StoredPair> {
    const { freshKeyPair } = await import('../platform/ssh-key-pair.ts');
    const pair = freshKeyPair(NAME);
    return { public_key: pair.public, sealed_private_key: this.#secrets.seal(pair.private, PURPOSE) };
  }

  #opened(pair: StoredPair): OpsKey {
    return {
      name: NAME,
      fingerprint: fingerprintOf(pair),
      publicKey: pair.public_key,
      privateKey: this.#secrets.open(pair.sealed_private_key, PURPOSE),
    };
  }

  /** The first thing that is opened at a start: with the wrong key it ends there, before anything is sealed with it. */
  async #refuseUnknownKey(): Promise<void> {
    try {
      await this.all();
    } catch (error) {
      if (!(error instanceof UnknownKeyError)) throw error;
      throw new ConfigError([
        `VAUBAN_SECRET_KEY: not the key of this database: its ops key was ${error.message}`,
      ]);
    }
  }
}

function pairsOf({ previous = [], ...current }: StoredKeys): StoredPair[] {
  return [current, ...previous];
}

function fingerprintOf({ public_key: key }: StoredPair): string {
  const blob = Buffer.from(key.split(' ')[1]!, 'base64');
  return `SHA256:${createHash('sha256')
    .update(blob)
    .digest('base64')
    .replace(/={1,2}$/, '')}`;
}

async function readKeys(db: Queryable, lock?: 'share' | 'no key update'): Promise<StoredKeys | undefined> {
  const row = await maybeOne<{ value: StoredKeys }>(
    db,
    sql`select value from settings where name = ${SETTING} ${lock ? raw(`for ${lock}`) : empty}`,
  );
  return row?.value;
}

async function writeKeys(tx: Queryable, value: StoredKeys): Promise<void> {
  await one(
    tx,
    sql`update settings set value = ${JSON.stringify(value)}::text::jsonb where name = ${SETTING} returning name`,
  );
}

/** Reseals the private halves by `renew`, which returns undefined where that is not needed. */
export async function resealOpsKeys(
  tx: Queryable,
  renew: (sealed: string, purposes: readonly string[]) => string | undefined,
): Promise<void> {
  const stored = await readKeys(tx, 'no key update');
  if (!stored) return;
  const [current, ...previous] = pairsOf(stored).map((pair) => ({
    ...pair,
    sealed_private_key: renew(pair.sealed_private_key, [PURPOSE]) ?? pair.sealed_private_key,
  }));
  await writeKeys(tx, { ...current!, previous });
}
