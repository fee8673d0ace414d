import { createHash } from 'node:crypto';
import { type Database, maybeOne, sql } from '../db/database.ts';
import type { SecretBox } from './secrets.ts';

const SETTING = 'ops_key';
const NAME = 'vauban-ops';
const PURPOSE = 'ops-key';

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

interface StoredKey {
  public_key: string;
  sealed_private_key: string;
}

/** The ops key; the first start makes it. Of two nodes that start together, one makes it for both. */
export async function openOpsKey(db: Database, secrets: SecretBox): Promise<OpsKey> {
  const stored = (await readKey(db)) ?? (await makeKey(db, secrets));
  const blob = Buffer.from(stored.public_key.split(' ')[1]!, 'base64');
  const digest = createHash('sha256').update(blob).digest('base64').replace(/=+$/, '');
  return {
    name: NAME,
    fingerprint: `SHA256:${digest}`,
    publicKey: stored.public_key,
    privateKey: secrets.open(stored.sealed_private_key, PURPOSE),
  };
}

async function readKey(db: Database): Promise<StoredKey | undefined> {
  const row = await maybeOne<{ value: StoredKey }>(
    db,
    sql`select value from settings where name = ${SETTING}`,
  );
  return row?.value;
}

async function makeKey(db: Database, secrets: SecretBox): Promise<StoredKey> {
  const { freshKeyPair } = await import('./ssh-key-pair.ts');
  const pair = freshKeyPair(NAME);
  const value: StoredKey = {
    public_key: pair.public,
    sealed_private_key: secrets.seal(pair.private, PURPOSE),
  };
  await db.query(sql`
    insert into settings (name, value) values (${SETTING}, ${JSON.stringify(value)}::text::jsonb) on conflict do nothing`);
  return (await readKey(db))!;
}
