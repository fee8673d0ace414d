import type { Entry } from './entry.ts';
import { etcFiles, procFiles } from './image-texts.ts';
import { authLog, journalText } from './journal.ts';
import type { System } from './system.ts';
import { BIG_LOG, bigLogBytes, troubled } from './trouble.ts';

/** A file that the guest had from the start. */
export interface ImageFile extends Entry {
  /** Returns its content; absent for a directory and for a file of generated text. */
  text?: () => string;
  /** Uses disk space in addition to the image's nominal size. */
  counts?: boolean;
}

const DIRECTORIES =
  '/ /bin /boot /dev /etc /etc/apt /etc/cron.d /etc/nginx /etc/ssh /etc/systemd /etc/systemd/system /home /lib ' +
  '/media /mnt /opt /proc /run /sbin /srv /sys /usr /usr/bin /usr/lib /usr/local /usr/local/bin /usr/sbin ' +
  '/usr/share /var /var/cache /var/lib /var/log /var/log/nginx /var/www /var/www/html';

export function imageOf(system: System): Map<string, ImageFile> {
  const { guest, distribution } = system;
  const installedAt = guest.run?.since ?? system.now();
  const files = new Map<string, ImageFile>();
  const add = (path: string, owner: string, mode: number, kind: Entry['kind'], size: number) => {
    const file: ImageFile = { kind, owner, mode, size, modifiedAt: installedAt, kept: false };
    files.set(path, file);
    return file;
  };
  const directory = (path: string, owner = 'root', mode = 0o755) => add(path, owner, mode, 'directory', 4096);
  const text = (path: string, content: () => string, owner = 'root', mode = 0o644) => {
    const file = add(path, owner, mode, 'file', 0);
    file.text = content;
    // Computed on demand, so that listing another directory does not generate any texts.
    Object.defineProperty(file, 'size', { enumerable: true, get: () => Buffer.byteLength(content()) });
  };

  for (const path of DIRECTORIES.split(' ')) directory(path);
  directory('/root', 'root', 0o700);
  directory('/tmp', 'root', 0o1777);
  directory('/var/tmp', 'root', 0o1777);
  for (const [path, content] of Object.entries(etcFiles(system))) {
    text(path, content, 'root', path === '/etc/shadow' ? 0o640 : 0o644);
  }
  for (const [path, content] of Object.entries(procFiles(system))) text(path, content, 'root', 0o444);
  homes(system, directory, text);
  text('/var/log/syslog', () => journalText(system), 'root', 0o644);
  text('/var/log/auth.log', () => authLog(system), 'root', 0o640);
  if (troubled(guest.hostname, 'diskFull')) {
    directory('/var/log/app');
    add(BIG_LOG, 'root', 0o644, 'file', bigLogBytes(guest)).counts = true;
  }
  add('/dev/null', 'root', 0o666, 'file', 0);
  add('/dev/zero', 'root', 0o666, 'file', 0);
  add('/dev/vda', 'root', 0o660, 'file', 0);
  return files;

  function homes(of: System, makeDirectory: typeof directory, makeText: typeof text): void {
    const lines = () => `${of.guest.authorizedKeys.join('\n')}\n`;
    for (const [user, home] of [
      ['root', '/root'],
      [distribution.user, `/home/${distribution.user}`],
    ] as const) {
      if (user !== 'root') makeDirectory(home, user);
      makeDirectory(`${home}/.ssh`, user, 0o700);
      makeText(`${home}/.ssh/authorized_keys`, lines, user, 0o600);
      makeText(`${home}/.profile`, () => 'export PATH=$PATH:$HOME/bin\n', user);
      makeText(`${home}/.bashrc`, () => "alias ll='ls -l'\n", user);
    }
  }
}
