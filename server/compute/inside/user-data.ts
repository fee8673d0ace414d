import { createHash } from 'node:crypto';
import { Document } from 'yaml';

/** Login data and the customer's instructions for a guest's first boot. */
export interface FirstBoot {
  /** The image's default user, who gets the keys and the password. */
  user: string;
  /** authorized_keys lines. */
  authorizedKeys: string[];
  /** In the format of /etc/shadow. */
  passwordHash?: string;
  /** The customer's own, in any format that cloud-init supports. */
  userData?: string;
}

/**
 * Formats YAML in block style, except for the paths in `onOneLine`. Long lines, such as keys, are never folded.
 * cloud-init reads YAML 1.1, where an unquoted MAC address of digits only is a number.
 */
export function yaml(value: unknown, onOneLine: string[] = []): string {
  const document = new Document(value, { version: '1.1' });
  for (const path of onOneLine) {
    const node = document.getIn(path.split('.'), true) as { flow?: boolean } | undefined;
    if (node) node.flow = true;
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function cloudConfig({ user, authorizedKeys, passwordHash }: FirstBoot, more: object): string {
  const config = {
    ...more,
    ssh_authorized_keys: [...new Set(authorizedKeys)],
    // Named explicitly, so that the keys go to the user given at the image's import, not to the image's own default
    // user.
    ...(user === 'root' ? { disable_root: false } : { user }),
    // The older of two formats, which every version of cloud-init supports.
    ...(passwordHash
      ? { ssh_pwauth: true, chpasswd: { expire: false, list: `${user}:${passwordHash}\n` } }
      : {}),
  };
  return `#cloud-config\n${yaml(config)}`;
}

/**
 * The customer's data comes first and ours is merged into it: lists, such as keys, are joined, and on a conflict the
 * customer's value wins. Without this, cloud-init would let the last part replace the first.
 */
const MERGED = 'dict(recurse_list,recurse_dict)+list(append)+str()';

function mimeEntity(userData: string): string {
  // Already multipart: embed it with its own headers.
  if (/^(content-type:\s*multipart\/|mime-version:)/i.test(userData)) return userData;
  // Plain text: cloud-init detects its type from the first line.
  return [
    'Content-Type: text/plain; charset="utf-8"',
    'MIME-Version: 1.0',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(userData).toString('base64').replace(/.{76}/g, '$&\n'),
  ].join('\n');
}

/**
 * Returns cloud-init user data: the customer's, and ours with `more` cloud-config. The same input always gives the same
 * data.
 */
export function userData(input: FirstBoot, more: object = {}): string {
  const ours = cloudConfig(input, more);
  if (!input.userData?.trim()) return ours;
  const digest = createHash('sha256').update(input.userData).digest('hex').slice(0, 24);
  const boundary = `part-${digest}`;
  return [
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    'MIME-Version: 1.0',
    '',
    `--${boundary}`,
    mimeEntity(input.userData),
    `--${boundary}`,
    'Content-Type: text/cloud-config; charset="utf-8"',
    'MIME-Version: 1.0',
    'Content-Transfer-Encoding: 8bit',
    `Merge-Type: ${MERGED}`,
    '',
    ours,
    `--${boundary}--`,
    '',
  ].join('\n');
}
