import { block, complaint, linesOf, type Recipe, type RecipeRun, step } from './recipe.ts';

/** A file system above this is reported as full. */
const FULL_PERCENT = 85;
/** Available memory below this is reported as scarce. */
const SCARCE_PERCENT = 10;

interface FileSystem {
  size: string;
  free: string;
  percent: number;
  mount: string;
}

/** Parses `df -hP` without its heading. */
function fileSystems(lines: readonly string[]): FileSystem[] {
  return lines.flatMap((line) => {
    const [, size, free, percent, mount] =
      /^\S+\s+(\S+)\s+\S+\s+(\S+)\s+(\d+)%\s+(\/\S*)$/.exec(line.trim()) ?? [];
    return mount === undefined ? [] : [{ size: size!, free: free!, percent: Number(percent), mount }];
  });
}

function* diskSpace(): RecipeRun {
  const df = yield step('df -hP', 'Check how full the file systems are');
  const [fullest] = fileSystems(linesOf(df)).sort((a, b) => b.percent - a.percent);
  if (!fullest) return `I could not read the file systems: ${complaint(df)}.`;
  const state = `The fullest file system is ${fullest.mount}: ${fullest.percent} % of ${fullest.size} used, ${fullest.free} free.`;
  const du = yield step(
    `du -xh -d 2 '${fullest.mount.replaceAll("'", '')}' 2>/dev/null | sort -rh | head -n 10`,
    'Find the largest directories',
  );
  const decision =
    fullest.percent >= FULL_PERCENT
      ? 'It is nearly full. Usually you can start by removing old logs and package archives (`apt-get clean`).'
      : 'There is enough free space.';
  return `${state} ${decision}\nThe largest directories:\n${block(linesOf(du), 10)}`;
}

function* memory(): RecipeRun {
  const free = yield step('free -m', 'Check the free memory');
  const row = linesOf(free).find((line) => line.startsWith('Mem:'));
  const figures = row?.trim().split(/\s+/).slice(1).map(Number) ?? [];
  const [total, used] = figures;
  const available = figures[5] ?? figures[2];
  if (!total || used === undefined || available === undefined)
    return `I could not read the memory: ${complaint(free)}.`;
  const top = yield step('ps aux --sort=-%mem | head -n 6', 'Find the processes that use the most memory');
  const percent = Math.round((available * 100) / total);
  const decision = percent < SCARCE_PERCENT ? 'Memory is low.' : 'There is enough memory.';
  return `${available} MiB of ${total} MiB are available (${percent} %), ${used} MiB are in use. ${decision}\nThe largest processes:\n${block(linesOf(top), 6)}`;
}

function* load(): RecipeRun {
  const uptime = yield step('uptime', 'Check the load');
  const [, one, five, fifteen] =
    /load averages?:\s*([\d.]+),?\s+([\d.]+),?\s+([\d.]+)/.exec(uptime.output) ?? [];
  if (one === undefined) return `I could not read the load: ${complaint(uptime)}.`;
  const nproc = yield step('nproc', 'Count the processors');
  const processors = Math.max(1, Number.parseInt(nproc.output, 10) || 1);
  const top = yield step('ps aux --sort=-%cpu | head -n 6', 'Find the busiest processes');
  const decision =
    Number(one) > processors
      ? 'More work is waiting than the processors can handle.'
      : 'The processors are keeping up.';
  return `The load is ${one} (one minute), ${five} (five), ${fifteen} (fifteen) on ${processors} ${processors === 1 ? 'processor' : 'processors'}. ${decision}\nThe busiest processes:\n${block(linesOf(top), 6)}`;
}

function* ports(): RecipeRun {
  const ss = yield step('ss -tulpn', 'List the listening ports');
  const sockets = linesOf(ss).filter((line) => /^(tcp|udp)/.test(line));
  if (sockets.length === 0) return `No ports are listening, or I could not read them: ${complaint(ss)}.`;
  const rows = sockets.map((line) => {
    const fields = line.trim().split(/\s+/);
    const program = /"([^"]+)"/.exec(line)?.[1] ?? 'unknown program';
    return `${fields[0]} ${fields[4] ?? '?'} (${program})`;
  });
  return `${rows.length === 1 ? 'One port is' : `${rows.length} ports are`} listening:\n${block(rows, 30)}`;
}

function* people(): RecipeRun {
  const who = yield step('who', 'Check who is logged in');
  const now = linesOf(who);
  const last = yield step('last -n 5', 'Check who was logged in before');
  const present = now.length === 0 ? 'No one is logged in on a terminal.' : `Logged in now:\n${block(now)}`;
  const before = linesOf(last);
  return before.length === 0 ? present : `${present}\nMost recent logins:\n${block(before, 6)}`;
}

function* updates(): RecipeRun {
  const update = yield step('sudo -n apt-get update -q', 'Update the package lists');
  const stale = update.exitCode === 0 ? '' : ` (the lists could not be refreshed: ${complaint(update)})`;
  const list = yield step('apt list --upgradable 2>/dev/null', 'List packages with a newer version');
  const packages = linesOf(list).filter((line) => line.includes('/'));
  if (packages.length === 0) return `No updates are pending${stale}.`;
  const security = packages.filter((line) => line.includes('security')).length;
  return `${packages.length} ${packages.length === 1 ? 'update is' : 'updates are'} pending, ${security} of them for security${stale}:\n${block(packages)}`;
}

function* health(): RecipeRun {
  const uptime = yield step('uptime', 'Check the uptime and the load');
  const free = yield step('free -m', 'Check the free memory');
  const df = yield step('df -hP', 'Check how full the file systems are');
  const failed = yield step(
    'systemctl list-units --type=service --state=failed --no-pager --plain --no-legend',
    'Check for failed services',
  );
  const full = fileSystems(linesOf(df)).filter(({ percent }) => percent >= FULL_PERCENT);
  const broken = linesOf(failed).filter((line) => /\.service\b/.test(line));
  const findings = [
    `Uptime and load: ${uptime.output.trim()}`,
    `Memory: ${linesOf(free).find((line) => line.startsWith('Mem:')) ?? complaint(free)} (MiB)`,
    full.length === 0
      ? 'No file system is nearly full.'
      : `Nearly full: ${full.map(({ mount, percent }) => `${mount} (${percent} %)`).join(', ')}.`,
    broken.length === 0 ? 'No services have failed.' : `Failed services:\n${block(broken)}`,
  ];
  return findings.join('\n');
}

/** Recipes for the machine as a whole. The first one whose pattern matches is used. */
export const SYSTEM_RECIPES: readonly Recipe[] = [
  {
    topic: 'pending updates',
    asks: /\b(updates?|upgrades?|upgradable|patch(es)?|outdated)\b/i,
    run: updates,
  },
  { topic: 'disk space', asks: /\b(disk|space|storage|file ?systems?|full|df)\b/i, run: diskSpace },
  { topic: 'memory', asks: /\b(memory|ram|swap|oom|free)\b/i, run: memory },
  { topic: 'load', asks: /\b(load|cpu|slow|busy|processors?)\b/i, run: load },
  { topic: 'listening ports', asks: /\b(ports?|listen(s|ing)?|sockets?)\b/i, run: ports },
  { topic: 'who is logged in', asks: /\b(who|logged[- ]in|log-?ins?|users? online)\b/i, run: people },
  { topic: 'health', asks: /\b(health|healthy|check|overview|status|wrong|problem|ok(ay)?)\b/i, run: health },
];
