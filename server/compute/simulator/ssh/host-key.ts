import ssh2 from 'ssh2';

/** A fresh host key, OpenSSH format. The library writes about one ed25519 pair in two hundred unreadable. */
export function freshHostKey(): string {
  for (;;) {
    const { private: key } = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(key) instanceof Error)) return key;
  }
}
