/**
 * The last door before a log line leaves the process. Whatever was logged, by whomever and at whatever depth,
 * passes here as finished text, so no call site has to remember what is secret.
 */
const REDACTED = '[redacted]';

const SECRET_NAMES =
  'authorization|cookie|passw(?:or)?d|passphrase|secret|token|ticket|user_?data|(?:api|private|secret)[_-]?key';

/** Names whose whole value is secret: "password", "initial_password", "accessToken", "set-cookie". */
const SECRET_NAME = new RegExp(`(?:${SECRET_NAMES})$`, 'i');

/** An API key, also with its underscore percent-encoded. */
const API_KEY = /vk(?:_|%5f)[0-9a-z]{20,}/gi;
/** A console's ticket or the secret of a share link. */
const CONSOLE_SECRET = /(vc[st])_[0-9a-z_-]{20,}/gi;

/** Secrets inside a longer text, with what is to stand in their place. */
const SECRETS_IN_TEXT: readonly [RegExp, string][] = [
  [/\b(bearer)\s+[^\s"',;]{16,}/gi, `$1 ${REDACTED}`],
  // Credentials of a URL, as in postgres://user:password@host.
  [/(:\/\/)[^\s/?#@"']+@/g, `$1${REDACTED}@`],
  // ?ticket=…, password=…
  [new RegExp(`((?:${SECRET_NAMES})=)[^\\s&;,"'#[]+`, 'gi'), `$1${REDACTED}`],
  // "password":"…" and password: '…' of an object that was turned into text.
  [
    new RegExp(`((?:${SECRET_NAMES})\\\\*["']?\\s*[:=]\\s*)(\\\\*["'])(?:(?!\\2)(?:\\\\.|[^\\\\]))*`, 'gi'),
    `$1$2${REDACTED}`,
  ],
];

/** Cheap test for "may hold a secret", wider than all of the above: nearly every line ends here, unchanged. */
const SUSPECT = new RegExp(`${SECRET_NAMES}|vk_|vk%5f|vc[st]_|bearer|://[^\\s/?#]*@`, 'i');

/** One JSON line in, the same line without secrets out. */
export function redactLine(line: string): string {
  if (!SUSPECT.test(line)) return line;
  // JSON never escapes a key's characters, so the finished line can be searched, names of members included.
  const keyless = line.replace(API_KEY, `vk_${REDACTED}`).replace(CONSOLE_SECRET, `$1_${REDACTED}`);
  return `${JSON.stringify(JSON.parse(keyless, redactMember))}\n`;
}

function redactMember(name: string, value: unknown): unknown {
  // "initial_password": null says that there is none, which is worth reading.
  if (value === null || typeof value === 'boolean') return value;
  if (SECRET_NAME.test(name)) return REDACTED;
  return typeof value === 'string' ? redactText(value) : value;
}

/** A text without the secrets in it, as far as they can be recognised. */
export function redactText(text: string): string {
  return SECRETS_IN_TEXT.reduce((rest, [secret, replacement]) => rest.replace(secret, replacement), text);
}
