import { styleText } from 'node:util';
import { safe, safeJson, safeLines } from '../../shared/safe-text.ts';

type Style = Parameters<typeof styleText>[0];

/** Fields that every line has, or that only a machine reads. */
const UNSHOWN = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'reqId']);
const COLOURS: Record<string, Style> = { warn: 'yellow', error: 'red', fatal: 'red' };

/** Formats a log line for people at a terminal: `12:04:31 info listening address=http://…`. */
export function readableLine(line: string): string {
  const entry = JSON.parse(line) as Record<string, unknown>;
  const { level, time, msg, err } = entry as { level: string; time: string; msg?: string; err?: Failure };
  const fields = Object.entries(entry)
    .filter(([name, value]) => !UNSHOWN.has(name) && name !== 'err' && value !== undefined && value !== null)
    .map(([name, value]) => styleText('dim', `${name}=${inLine(value)}`));
  const colour = COLOURS[level];
  const head = [
    time.slice(11, 19),
    colour ? styleText(colour, level.padEnd(5)) : level.padEnd(5),
    safe(msg ?? ''),
  ];
  const stack = err ? `\n${safeLines(err.stack ?? err.message)}` : '';
  return `${[...head, ...fields].join(' ').trimEnd()}${stack}\n`;
}

interface Failure {
  message: string;
  stack?: string;
}

function inLine(value: unknown): string {
  return typeof value !== 'string' || /[\s"]/.test(value) ? safeJson(value) : safe(value);
}
