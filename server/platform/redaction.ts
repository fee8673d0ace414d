/**
 * The last stop before a log line leaves the process. Everything that is logged, by any caller and at any depth, passes
 * here as finished text, so no call site has to remember what is secret.
 */
const REDACTED = '[redacted]';

const SECRET_NAMES =
  'authorization|cookie|passw(?:or)?d|passphrase|secret|token|ticket|user_?data|(?:api|private|secret)[_-]?key';

/** Names whose whole value is secret: "password", "initial_password", "accessToken", "set-cookie". */
const SECRET_NAME = new RegExp(`(?:${SECRET_NAMES})$`, 'i');

/** An API key, including one with its underscore percent-encoded. */
const API_KEY = /vk(?:_|%5f)[0-9a-z]{20,}/gi;
/** A console ticket or the secret of a share link. */
const CONSOLE_SECRET = /(vc[st])_[0-9a-z_-]{20,}/gi;

/** Secrets inside a longer text, each with its replacement. */
const SECRETS_IN_TEXT: readonly [RegExp, string][] = [
  [/\b(bearer)\s+[^\s"',;]{16,}/gi, `$1 ${REDACTED}`],
  // Credentials in a URL, as in postgres://user:password@host.
  [/(:\/\/)[^\s/?#@"']+@/g, `$1${REDACTED}@`],
  // ?ticket=…, password=…
  [new RegExp(`((?:${SECRET_NAMES})=)[^\\s&;,"'#[]+`, 'gi'), `$1${REDACTED}`],
  // "password":"…" and password: '…' in an object that was turned into text.
  [
    new RegExp(`((?:${SECRET_NAMES})\\\\*["']?\\s*[:=]\\s*)(\\\\*["'])(?:(?!\\2)(?:\\\\.|[^\\\\]))*`, 'gi'),
    `$1$2${REDACTED}`,
  ],
];

/** Cheap test for "may contain a secret", wider than all of the above: nearly every line stops here, unchanged. */
const SUSPECT = new RegExp(`${SECRET_NAMES}|vk_|vk%5f|vc[st]_|bearer|://[^\\s/?#]*@`, 'i');

/** Returns a JSON line without its secrets. */
export function redactLine(line: string): string {
  if (!SUSPECT.test(line)) return line;
  // JSON never escapes the characters of a key, so the finished line can be searched, member names included.
  const keyless = line.replace(API_KEY, `vk_${REDACTED}`).replace(CONSOLE_SECRET, `$1_${REDACTED}`);
  return `${JSON.stringify(JSON.parse(keyless, redactMember))}\n`;
}

function redactMember(name: string, value: unknown): unknown {
  // "initial_password": null means that there is none, which is worth reading.
  if (value === null || typeof value === 'boolean') return value;
  if (SECRET_NAME.test(name)) return REDACTED;
  return typeof value === 'string' ? redactText(value) : value;
}

/** Returns a text without the secrets that can be recognised in it. */
export function redactText(text: string): string {
  return SECRETS_IN_TEXT.reduce((rest, [secret, replacement]) => rest.replace(secret, replacement), text);
}
