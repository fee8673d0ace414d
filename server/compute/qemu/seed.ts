import { createHash } from 'node:crypto';
import { Document } from 'yaml';
import type { GuestAddress } from '../driver.ts';
import { isoImage } from './iso.ts';
import { ROUTER_6 } from './network.ts';

/** What a guest learns at its first boot. */
export interface SeedInput {
  id: string;
  hostname: string;
  /** The image's default user: gets the keys and the password. */
  user: string;
  mac: string;
  addresses: GuestAddress[];
  /** Addresses of resolvers. */
  nameservers: readonly string[];
  /** authorized_keys lines. */
  authorizedKeys: string[];
  /** As in /etc/shadow. */
  passwordHash?: string;
  /** The customer's own, in any form that cloud-init knows. */
  userData?: string;
}

/** By this label cloud-init finds its data source "NoCloud". */
const LABEL = 'cidata';

/**
 * Block style, but what is marked stays on one line; long lines, such as keys, are never folded. YAML 1.1 is what
 * cloud-init reads: a MAC address of digits only is a number there, unless it is quoted.
 */
function yaml(value: unknown, onOneLine: string[] = []): string {
  const document = new Document(value, { version: '1.1' });
  for (const path of onOneLine) {
    const node = document.getIn(path.split('.'), true) as { flow?: boolean } | undefined;
    if (node) node.flow = true;
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function metaData({ id, hostname }: SeedInput): string {
  return yaml({ 'instance-id': id, 'local-hostname': hostname });
}

/**
 * The card is found by its MAC address, because its name depends on the machine's slots. Of IPv6 it has its own address
 * and a router, no prefix: neighbours of one prefix are other guests, behind the host and its rules.
 */
function networkConfig({ mac, addresses, nameservers }: SeedInput): string {
  const gateway4 = addresses.find(({ family }) => family === 4)?.gateway;
  const hasV6 = addresses.some(({ family }) => family === 6);
  const card = {
    match: { macaddress: mac },
    ...(addresses.length === 0
      ? { dhcp4: true }
      : {
          addresses: addresses.map(
            ({ address, family, prefix }) => `${address}/${family === 6 ? 128 : prefix}`,
          ),
          ...(gateway4 ? { gateway4 } : {}),
          ...(hasV6 ? { gateway6: ROUTER_6 } : {}),
          nameservers: { addresses: [...nameservers] },
        }),
  };
  const at = 'ethernets.primary';
  return yaml({ version: 2, ethernets: { primary: card } }, [
    `${at}.match`,
    `${at}.addresses`,
    `${at}.nameservers`,
  ]);
}

function cloudConfig({ user, authorizedKeys, passwordHash }: SeedInput): string {
  const config = {
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

function userData(input: SeedInput): string {
  const ours = cloudConfig(input);
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

/** The files of the seed, by name. The same input always gives the same. */
export function seedFiles(input: SeedInput): Record<string, string> {
  return {
    'meta-data': metaData(input),
    'network-config': networkConfig(input),
    'user-data': userData(input),
  };
}

/** Of a guest that is to become a warm template: an image that can be one stops at this and waits. */
export function templateSeed(): Buffer {
  const metaData = yaml({ 'instance-id': 'warm-template', 'local-hostname': 'template' });
  return isoImage(LABEL, { 'meta-data': Buffer.from(metaData), 'user-data': Buffer.from('#cloud-config\n') });
}

/** The seed as a CD. */
export function seedImage(input: SeedInput): Buffer {
  const files = Object.entries(seedFiles(input)).map(([name, text]) => [name, Buffer.from(text)]);
  return isoImage(LABEL, Object.fromEntries(files));
}
