import { hasApt } from '../../system/distribution.ts';
import { addInstalled } from '../../system/state.ts';
import type { Command, Process } from '../process.ts';

const STEP_MS = 600;
const UPGRADES = [
  ['base-files', '13.8+deb13u1', '13.8+deb13u2'],
  ['libssl3t64', '3.5.1-1', '3.5.1-1+deb13u1'],
  ['linux-image-cloud-amd64', '6.12.41-1', '6.12.48-1'],
  ['openssh-server', '1:10.0p1-7', '1:10.0p1-7+deb13u1'],
  ['nginx', '1.26.3-3', '1.26.3-3+deb13u1'],
] as const;
/** Maximum number of packages in one command. */
const MAX_PACKAGES = 20;

function pending({ system }: Process): readonly (readonly string[])[] {
  return system.inside.upgradedAt === null ? UPGRADES : [];
}

async function steps(process: Process, lines: string[]): Promise<void> {
  for (const line of lines) {
    await process.print(`${line}\n`);
    await process.sleep(STEP_MS);
  }
}

async function update(process: Process): Promise<number> {
  const source = `https://deb.example.net/${process.system.distribution.family}`;
  await steps(process, [
    `Hit:1 ${source} stable InRelease`,
    `Get:2 ${source}-security stable-security InRelease [43.4 kB]`,
    `Get:3 ${source}-security stable-security/main amd64 Packages [31.2 kB]`,
    'Reading package lists... Done',
  ]);
  const count = pending(process).length;
  await process.print(
    count === 0
      ? 'All packages are up to date.\n'
      : `${count} packages can be upgraded. Run 'apt list --upgradable' to see them.\n`,
  );
  return 0;
}

async function list(process: Process): Promise<number> {
  await process.print('Listing... Done\n');
  if (process.options().long.has('upgradable')) {
    for (const [name, from, to] of pending(process)) {
      await process.print(`${name}/stable-security ${to} amd64 [upgradable from: ${from}]\n`);
    }
    return 0;
  }
  for (const name of [...UPGRADES.map(([each]) => each), ...process.system.inside.installed].sort()) {
    await process.print(`${name}/stable,now amd64 [installed]\n`);
  }
  return 0;
}

async function install(process: Process, names: string[]): Promise<number> {
  const bad = names.find((name) => !/^[a-z0-9][a-z0-9+.-]{1,60}$/.test(name));
  if (bad !== undefined || names.length > MAX_PACKAGES) {
    await process.stderr.write(Buffer.from(`E: Unable to locate package ${bad ?? names.at(-1)}\n`));
    return 100;
  }
  const fresh = names.filter((name) => !process.system.inside.installed.includes(name));
  await process.print('Reading package lists... Done\nBuilding dependency tree... Done\n');
  for (const name of names.filter((each) => !fresh.includes(each)))
    await process.print(`${name} is already the newest version.\n`);
  if (fresh.length === 0) return 0;
  await process.print(`The following NEW packages will be installed:\n  ${fresh.join(' ')}\n`);
  for (const name of fresh) {
    await steps(process, [
      `Get:1 ${name} [412 kB]`,
      `Selecting previously unselected package ${name}.`,
      `Unpacking ${name} ...`,
      `Setting up ${name} ...`,
    ]);
  }
  await process.system.change((inside) => addInstalled(inside, fresh));
  await process.system.log('apt', 4242, `Installed: ${fresh.join(', ')}`);
  return 0;
}

async function upgrade(process: Process): Promise<number> {
  const packages = pending(process);
  await process.print(
    `Calculating upgrade... Done\n${packages.length} upgraded, 0 newly installed, 0 to remove.\n`,
  );
  await steps(
    process,
    packages.map(([name, , to]) => `Setting up ${name} (${to}) ...`),
  );
  const at = process.system.now();
  await process.system.change((inside) => {
    inside.upgradedAt = at;
  });
  return 0;
}

async function apt(process: Process): Promise<number> {
  const [verb, ...names] = process.options().words;
  if (!hasApt(process.system.distribution)) {
    await process.stderr.write(Buffer.from(`bash: ${process.name}: command not found\n`));
    return 127;
  }
  if (verb === 'list') return list(process);
  if (
    !['update', 'install', 'upgrade', 'full-upgrade', 'dist-upgrade', 'clean', 'autoremove'].includes(
      verb ?? '',
    )
  ) {
    return process.fail(`invalid operation ${verb ?? ''}`, 100);
  }
  if (process.shell.user !== 'root') {
    await process.stderr.write(
      Buffer.from('E: Could not open lock file /var/lib/dpkg/lock-frontend (13: Permission denied)\n'),
    );
    return 100;
  }
  if (verb === 'update') return update(process);
  if (verb === 'install') return install(process, names);
  return verb?.endsWith('upgrade') ? upgrade(process) : 0;
}

export const APT: Record<string, Command> = { apt, 'apt-get': apt };
