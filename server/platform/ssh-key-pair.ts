import ssh2 from 'ssh2';

/** A pair in OpenSSH's format. */
export interface SshKeyPair {
  public: string;
  private: string;
}

/** A fresh ed25519 pair. The library writes about one in two hundred unreadable, even to itself. */
export function freshKeyPair(comment?: string): SshKeyPair {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519', { comment });
    const readable = [pair.public, pair.private].every((key) => !(ssh2.utils.parseKey(key) instanceof Error));
    if (readable) return pair;
  }
}

/** What makes a client offer these private keys, one after the other, and nothing else. */
export function offeringKeys(username: string, privateKeys: readonly string[]): ssh2.AuthenticationType[] {
  return privateKeys.map((key) => ({ type: 'publickey', username, key })) as never;
}
