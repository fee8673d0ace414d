import { journalOf, logText, stamp } from '../../system/journal.ts';
import type { System } from '../../system/system.ts';
import { setUnit, stateOf, type Unit, unitNamed, unitsOf } from '../../system/units.ts';
import type { Command, Process } from '../process.ts';
import { humanSize, table } from '../tables.ts';

const START_MS = 400;

function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes}min ago`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)}h ago` : `${Math.floor(minutes / 1440)} days ago`;
}

function statusText(system: System, unit: Unit): string {
  const { active, at, pid } = stateOf(system, unit);
  const states = {
    active: 'active (running)',
    inactive: 'inactive (dead)',
    failed: 'failed (Result: signal)',
  };
  const mark = { active: '●', inactive: '○', failed: '×' }[active];
  const lines = [
    `${mark} ${unit.name}.service - ${unit.description}`,
    `     Loaded: loaded (/usr/lib/systemd/system/${unit.name}.service; enabled; preset: enabled)`,
    `     Active: ${states[active]} since ${stamp(at)} UTC; ${ago(system.now() - at)}`,
  ];
  if (active === 'active') {
    lines.push(`   Main PID: ${pid} (${unit.command.split(' ')[0]!.split('/').at(-1)})`);
    lines.push(`     Memory: ${humanSize(unit.weight * 3_145_728)}`);
  }
  const log = journalOf(system)
    .filter((line) => line.unit === unit.name)
    .slice(-5)
    .map((line) => logText(system, line));
  return `${lines.join('\n')}\n${log.length > 0 ? `\n${log.join('')}` : ''}`;
}

async function listUnits(process: Process, failedOnly: boolean): Promise<number> {
  const rows = unitsOf(process.system).map((unit) => {
    const { active } = stateOf(process.system, unit);
    const sub = { active: 'running', inactive: 'dead', failed: 'failed' }[active];
    return [active === 'failed' ? '●' : ' ', `${unit.name}.service`, 'loaded', active, sub, unit.description];
  });
  const shown = failedOnly ? rows.filter((row) => row[3] === 'failed') : rows;
  await process.print(table([[' ', 'UNIT', 'LOAD', 'ACTIVE', 'SUB', 'DESCRIPTION'], ...shown]));
  await process.print(`\n${shown.length} loaded units listed.\n`);
  return 0;
}

const CHANGES: Record<string, { to: 'active' | 'inactive'; text: (unit: Unit) => string }> = {
  start: { to: 'active', text: ({ name, description }) => `Started ${name}.service - ${description}.` },
  restart: { to: 'active', text: ({ name, description }) => `Started ${name}.service - ${description}.` },
  reload: { to: 'active', text: ({ name, description }) => `Reloaded ${name}.service - ${description}.` },
  stop: { to: 'inactive', text: ({ name, description }) => `Stopped ${name}.service - ${description}.` },
};

async function change(process: Process, verb: string, unit: Unit): Promise<number> {
  const { system, shell } = process;
  if (shell.user !== 'root') {
    const text = `Failed to ${verb} ${unit.name}.service: Access denied\n`;
    await process.stderr.write(Buffer.from(text));
    return 4;
  }
  const { to, text } = CHANGES[verb]!;
  if (verb === 'start' && stateOf(system, unit).active === 'active') return 0;
  if (verb === 'reload' && stateOf(system, unit).active === 'active') {
    await system.log(unit.name, 1, text(unit));
    return 0;
  }
  await process.sleep(START_MS);
  await setUnit(system, unit, to, text(unit));
  return 0;
}

async function systemctl(process: Process): Promise<number> {
  const { words, long } = process.options();
  const [verb = 'list-units', ...names] = words;
  const { system } = process;
  if (verb === 'list-units' || verb === 'list-unit-files')
    return listUnits(process, long.has('failed') || long.has('state=failed'));
  if (verb === 'daemon-reload' || verb === 'enable' || verb === 'disable' || verb === 'reset-failed')
    return 0;
  if (verb === 'is-system-running') {
    const failed = unitsOf(system).some((unit) => stateOf(system, unit).active === 'failed');
    await process.print(failed ? 'degraded\n' : 'running\n');
    return Number(failed);
  }
  let code = 0;
  for (const name of names) {
    const unit = unitNamed(system, name);
    if (!unit) {
      await process.stderr.write(
        Buffer.from(`Unit ${name.replace(/\.service$/, '')}.service could not be found.\n`),
      );
      code = verb.startsWith('is-') || verb === 'status' ? 4 : 5;
    } else if (Object.hasOwn(CHANGES, verb)) code = (await change(process, verb, unit)) || code;
    else if (verb === 'is-enabled') await process.print('enabled\n');
    else if (verb === 'status' || verb === 'is-active' || verb === 'is-failed' || verb === 'show') {
      const { active } = stateOf(system, unit);
      await process.print(
        verb === 'status'
          ? statusText(system, unit)
          : verb === 'show'
            ? `ActiveState=${active}\n`
            : `${active}\n`,
      );
      const good = verb === 'is-failed' ? active === 'failed' : active === 'active' || verb === 'show';
      if (!good) code = verb === 'is-failed' ? 1 : 3;
    } else return process.fail(`Unknown command verb ${verb}.`);
  }
  return code;
}

async function service(process: Process): Promise<number> {
  const [name = '', verb = 'status'] = process.args;
  return process.shell.execute(['systemctl', verb, name], process);
}

export const SYSTEMCTL: Record<string, Command> = { systemctl, service };
