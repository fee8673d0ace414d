import { createHash } from 'node:crypto';
import { Document } from 'yaml';

/** Who may log in to a guest, and what its customer wants done, at its first boot. */
export interface FirstBoot {
  /** The image's default user: gets the keys and the password. */
  user: string;
  /** authorized_keys lines. */
  authorizedKeys: string[];
  /** As in /etc/shadow. */
  passwordHash?: string;
  /** The customer's own, in any form that cloud-init knows. */
  userData?: string;
}

/**
 * Block style, but what is marked stays on one line; long lines, such as keys, are never folded. YAML 1.1 is what
 * cloud-init reads: a MAC address of digits only is a number there, unless it is quoted.
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
    // Named, so that the keys go to the user that the image was imported with, not to the one its maker had in mind.
    ...(user === 'root' ? { disable_root: false } : { user }),
    // The older of the two forms that cloud-init knows: every version has it.
    ...(passwordHash
      ? { ssh_pwauth: true, chpasswd: { expire: false, list: `${user}:${passwordHash}\n` } }
      : {}),
  };
  return `#cloud-config\n${yaml(config)}`;
}

/**
 * The customer's data comes first and ours is merged into it: lists, such as keys, are joined, and where both say
 * something the customer's word stands. Without these words cloud-init would let the last part replace the first.
 */
const MERGED = 'dict(recurse_list,recurse_dict)+list(append)+str()';

function mimeEntity(userData: string): string {
  // Already in parts: a part within ours, with its own headers.
  if (/^(content-type:\s*multipart\/|mime-version:)/i.test(userData)) return userData;
  // Plain text, of which cloud-init finds out what it is by its first line.
  return [
    'Content-Type: text/plain; charset="utf-8"',
    'MIME-Version: 1.0',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(userData).toString('base64').replace(/.{76}/g, '$&\n'),
  ].join('\n');
}

/** User data of cloud-init: the customer's own, and ours with `more` of cloud-config. The same input always gives the same. */
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
