import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { cacheDirectory } from '../../../scripts/image-cache.ts';
import { isInstalled } from '../../../scripts/installed.ts';
import { defer } from '../../support/cleanup.ts';
import { REPOSITORY } from '../../support/source.ts';

const CACHE = join(cacheDirectory(), 'bare-root');
const SUITE = 'bookworm';
const MIRROR = 'http://deb.debian.org/debian';
/** The places of this clone and of this machine's npm in the root. */
const PROJECT = '/opt/vauban';
const NPM = '/opt/npm';

/** Returns why there can be no bare root here, or false. */
export function whyNoBareRoot(): string | false {
  if (process.getuid?.() !== 0) return 'needs root to mount';
  return isInstalled('mmdebstrap') ? false : 'needs mmdebstrap';
}

/**
 * A minimal Debian that sees this clone read-only. Its devices are as the kernel creates them without udev. Packages
 * come from the mirror, through a cache.
 */
export class BareRoot {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static make(t: TestContext): BareRoot {
    const packed = join(CACHE, `${SUITE}.tar`);
    for (const name of ['archives', 'deb']) mkdirSync(join(CACHE, name), { recursive: true });
    if (!existsSync(packed)) {
      const unfinished = `${packed}.${process.pid}`;
      execFileSync('mmdebstrap', ['--variant=minbase', '--format=tar', '--quiet', SUITE, unfinished, MIRROR]);
      renameSync(unfinished, packed);
    }
    const directory = mkdtempSync(join(CACHE, 'root-'));
    defer(t, () => rmSync(directory, { recursive: true }));
    execFileSync('tar', ['-xf', packed, '-C', directory, '--exclude=./dev/*']);
    for (const path of [PROJECT, NPM, '/var/cache/vauban/deb'])
      mkdirSync(join(directory, path), { recursive: true });
    cpSync('/etc/resolv.conf', join(directory, 'etc/resolv.conf'), { dereference: true });
    // The root is discarded after a crash, so nothing waits for the disk.
    writeFileSync(join(directory, 'etc/dpkg/dpkg.cfg.d/unsafe-io'), 'force-unsafe-io\n');
    return new BareRoot(directory);
  }

  /** Returns the path as this machine sees it. */
  path(inside: string): string {
    return join(this.#directory, inside);
  }

  /** Runs a line of shell in the project's directory and returns its output and exit code. */
  async run(line: string, env: Record<string, string> = {}): Promise<{ code: number; output: string }> {
    const words = ['--mount', '--pid', '--fork', '--kill-child', '--uts', 'bash', '-euc', this.#enter(line)];
    const child = spawn('unshare', words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', ...env },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const [code] = await once(child, 'close');
    return { code, output };
  }

  #enter(line: string): string {
    const root = this.#directory;
    const npm = dirname(
      dirname(realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim())),
    );
    const bind = (from: string, to: string) => `mount --bind ${from} ${root}${to}`;
    const node = `${PROJECT}/node_modules/.bin/node`;
    return [
      bind(REPOSITORY, PROJECT),
      `mount -o remount,bind,ro ${root}${PROJECT}`,
      bind(npm, NPM),
      bind(join(CACHE, 'archives'), '/var/cache/apt/archives'),
      bind(join(CACHE, 'deb'), '/var/cache/vauban/deb'),
      `mount -t proc proc ${root}/proc`,
      `mount -t sysfs sysfs ${root}/sys`,
      `[ -c ${root}/dev/null ] || ${makeDevices(`${root}/dev`)}`,
      `mount -t tmpfs tmpfs ${root}/dev/shm`,
      `mount -t devpts -o newinstance,ptmxmode=0666 devpts ${root}/dev/pts`,
      `exec chroot ${root} sh -c 'cd ${PROJECT} && npm() { ${node} ${NPM}/bin/npm-cli.js "$@"; } && ${line}'`,
    ].join('\n');
  }
}

/** Creates the devices with their numbers; by default the kernel opens only the first ones to everyone. */
function makeDevices(dev: string): string {
  const open = ['null 1 3', 'zero 1 5', 'full 1 7', 'random 1 8', 'urandom 1 9', 'tty 5 0'];
  const make = (device: string, mode: string) => {
    const [name, major, minor] = device.split(' ');
    return `mknod -m ${mode} ${dev}/${name} c ${major} ${minor}`;
  };
  return [
    `{ mkdir -p ${dev}/net ${dev}/pts ${dev}/shm`,
    ...open.map((device) => make(device, '666')),
    make('net/tun 10 200', '600'),
    `ln -s pts/ptmx ${dev}/ptmx`,
    `ln -s /proc/self/fd ${dev}/fd; }`,
  ].join(' && ');
}
