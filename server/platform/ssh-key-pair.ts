import ssh2 from 'ssh2';

/** A key pair in OpenSSH's format. */
export interface SshKeyPair {
  public: string;
  private: string;
}

/**
 * Returns a fresh ed25519 pair. Retries because the library writes about one pair in two hundred that no one can read,
 * not even itself.
 */
export function freshKeyPair(comment?: string): SshKeyPair {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519', { comment });
    const readable = [pair.public, pair.private].every((key) => !(ssh2.utils.parseKey(key) instanceof Error));
    if (readable) return pair;
  }
}

/** Returns authentication methods that make a client offer these private keys one after the other, and nothing else. */
export function offeringKeys(username: string, privateKeys: readonly string[]): ssh2.AuthenticationType[] {
  return privateKeys.map((key) => ({ type: 'publickey', username, key })) as never;
}
