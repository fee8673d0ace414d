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
import { opsKeysInUse, recordedOpsKey, recordOpsKey } from '../db/queries/vms/vm-ops-keys.ts';
import { ConfigError } from '../platform/config-error.ts';
import { type SecretBox, UnknownKeyError } from '../platform/secrets.ts';

const SETTING = 'ops_key';
const NAME = 'vauban-ops';
const PURPOSE = 'ops-key';
/** An SSH server disconnects after six unknown keys. */
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

/** The current pair, and earlier ones that a guest may still authorize, newest first. */
interface StoredKeys extends StoredPair {
  previous?: StoredPair[];
}

/**
 * The key pairs of the ops key: one is current, and earlier ones are kept while a guest has them. Read from the
 * database each time, because another node may have rotated the key.
 *
 * Each VM is recorded with its guest's key before the guest is created, and with a newer key only once that has
 * completely replaced the old one. So a guest authorizes the recorded key or a newer one, and older ones are not
 * needed.
 */
export class OpsKeys {
  readonly #db: Database;
  readonly #secrets: SecretBox;

  /** Requires a database that already has the key; see {@link open}. */
  constructor(db: Database, secrets: SecretBox) {
    this.#db = db;
    this.#secrets = secrets;
  }

  /** Creates the key on the first start; if two nodes start together, one creates it for both. */
  static async open(db: Database, secrets: SecretBox): Promise<OpsKeys> {
    const keys = new OpsKeys(db, secrets);
    if (!(await readKeys(db)))
      await db.query(sql`
        insert into settings (name, value) values (${SETTING}, ${JSON.stringify(await keys.#make())}::text::jsonb)
        on conflict do nothing`);
    await keys.#refuseUnknownKey();
    return keys;
  }

  /** Returns the pair for new guests. */
  async current(): Promise<OpsKey> {
    return (await this.all())[0]!;
  }

  /** Returns the current pair, then earlier ones, newest first. */
  async all(tx: Queryable = this.#db): Promise<OpsKey[]> {
    return pairsOf((await readKeys(tx))!).map((pair) => this.#opened(pair));
  }

  /** Returns private keys, one of which this VM's guest accepts; the most likely one first. */
  async offeredTo(vmId: string): Promise<string[]> {
    const keys = await this.all();
    const recorded = await recordedOpsKey(this.#db, vmId);
    const known = keys.findIndex(({ fingerprint }) => fingerprint === recorded);
    // The guest has no key that is older than the recorded one.
    const possible = known < 0 ? keys : [keys[known]!, ...keys.slice(0, known)];
    return possible.slice(0, OFFERED).map(({ privateKey }) => privateKey);
  }

  /**
   * Returns the pair to create this VM's guest with: the current one, which is recorded. A retry after a crash
   * returns the same pair, because the guest may already exist with it.
   */
  async assignTo(tx: Transaction, vmId: string): Promise<OpsKey> {
    const [recorded, stored] = await Promise.all([
      recordedOpsKey(tx, vmId, true),
      // Until this is committed, no key is dropped; other VMs may be assigned keys concurrently.
      readKeys(tx, 'share'),
    ]);
    const pairs = pairsOf(stored!);
    const given = pairs.find((pair) => fingerprintOf(pair) === recorded) ?? pairs[0]!;
    await recordOpsKey(tx, vmId, fingerprintOf(given));
    return this.#opened(given);
  }

  /** Creates a new current pair. The previous one is kept until no guest has it. */
  async rotate(): Promise<void> {
    const made = await this.#make();
    await this.#db.transaction(async (tx) => {
      const previous = pairsOf((await readKeys(tx, 'no key update'))!);
      await writeKeys(tx, { ...made, previous });
    });
  }

  /** Drops the pairs that no guest has. Returns their number. */
  dropUnused(): Promise<number> {
    return this.#db.transaction(async (tx) => {
      const [current, ...previous] = pairsOf((await readKeys(tx, 'no key update'))!);
      const used = await opsKeysInUse(tx);
      // A guest without a recorded key may have any of them.
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

  /**
   * Decrypts the ops keys, the first secrets that a start reads: a wrong VAUBAN_SECRET_KEY fails here, before
   * anything is encrypted with it.
   */
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

/** Re-encrypts the private keys through `renew`, which returns undefined if that is not needed. */
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
