import { journalOf, logText, stamp } from '../../machine/journal.ts';
import type { Machine } from '../../machine/machine.ts';
import { setUnit, stateOf, type Unit, unitNamed, unitsOf } from '../../machine/units.ts';
import type { Command, Process } from '../process.ts';
import { humanSize, table } from '../tables.ts';

const START_MS = 400;

function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes}min ago`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)}h ago` : `${Math.floor(minutes / 1440)} days ago`;
}

function statusText(machine: Machine, unit: Unit): string {
  const { active, at, pid } = stateOf(machine, unit);
  const states = {
    active: 'active (running)',
    inactive: 'inactive (dead)',
    failed: 'failed (Result: signal)',
  };
  const mark = { active: '●', inactive: '○', failed: '×' }[active];
  const lines = [
    `${mark} ${unit.name}.service - ${unit.description}`,
    `     Loaded: loaded (/usr/lib/systemd/system/${unit.name}.service; enabled; preset: enabled)`,
    `     Active: ${states[active]} since ${stamp(at)} UTC; ${ago(machine.now() - at)}`,
  ];
  if (active === 'active') {
    lines.push(`   Main PID: ${pid} (${unit.command.split(' ')[0]!.split('/').at(-1)})`);
    lines.push(`     Memory: ${humanSize(unit.weight * 3_145_728)}`);
  }
  const log = journalOf(machine)
    .filter((line) => line.unit === unit.name)
    .slice(-5)
    .map((line) => logText(machine, line));
  return `${lines.join('\n')}\n${log.length > 0 ? `\n${log.join('')}` : ''}`;
}

async function listUnits(process: Process, failedOnly: boolean): Promise<number> {
  const rows = unitsOf(process.machine).map((unit) => {
    const { active } = stateOf(process.machine, unit);
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
  const { machine, shell } = process;
  if (shell.user !== 'root') {
    const text = `Failed to ${verb} ${unit.name}.service: Access denied\n`;
    await process.stderr.write(Buffer.from(text));
    return 4;
  }
  const { to, text } = CHANGES[verb]!;
  if (verb === 'start' && stateOf(machine, unit).active === 'active') return 0;
  if (verb === 'reload' && stateOf(machine, unit).active === 'active') {
    await machine.log(unit.name, 1, text(unit));
    return 0;
  }
  await process.sleep(START_MS);
  await setUnit(machine, unit, to, text(unit));
  return 0;
}

async function systemctl(process: Process): Promise<number> {
  const { words, long } = process.options();
  const [verb = 'list-units', ...names] = words;
  const { machine } = process;
  if (verb === 'list-units' || verb === 'list-unit-files')
    return listUnits(process, long.has('failed') || long.has('state=failed'));
  if (verb === 'daemon-reload' || verb === 'enable' || verb === 'disable' || verb === 'reset-failed')
    return 0;
  if (verb === 'is-system-running') {
    const failed = unitsOf(machine).some((unit) => stateOf(machine, unit).active === 'failed');
    await process.print(failed ? 'degraded\n' : 'running\n');
    return Number(failed);
  }
  let code = 0;
  for (const name of names) {
    const unit = unitNamed(machine, name);
    if (!unit) {
      await process.stderr.write(
        Buffer.from(`Unit ${name.replace(/\.service$/, '')}.service could not be found.\n`),
      );
      code = verb.startsWith('is-') || verb === 'status' ? 4 : 5;
    } else if (Object.hasOwn(CHANGES, verb)) code = (await change(process, verb, unit)) || code;
    else if (verb === 'is-enabled') await process.print('enabled\n');
    else if (verb === 'status' || verb === 'is-active' || verb === 'is-failed' || verb === 'show') {
      const { active } = stateOf(machine, unit);
      await process.print(
        verb === 'status'
          ? statusText(machine, unit)
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
