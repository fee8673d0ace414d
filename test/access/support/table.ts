import assert from 'node:assert/strict';
import { isScope } from '../../../server/access/scopes.ts';
import { SOCKET_ONLY } from '../../../server/http/operator-panel/reach.ts';

/** An operation to ask for, about something that does not exist. */
export interface Asked {
  audience: string;
  operation: string;
  method: string;
  path: string;
  /** Method and path, for people. */
  name: string;
}

/** Asks for an operation and returns the outcome: "ok", an error code, or the scope that it takes. */
export type Ask = (operation: Asked, headers?: Record<string, string>) => Promise<string>;

/** The credentials of one door, by their headings. */
export interface Group {
  columns: Record<string, Ask>;
  /** Selects the operations that have this door; all by default. */
  suits?: (operation: Asked) => boolean;
  /** Tries what needs no column because it must always be refused. */
  also?: (operation: Asked) => Promise<void>;
}

const ABSENT = 'vm_00000000000000000000000000';
const NAME_WIDTH = 50;

/** Outcomes of a request that was let in, about something that does not exist and with a body that cannot be read. */
const LET_IN = [
  'ok',
  'not_found',
  'validation_failed',
  'invalid_json',
  'idempotency_key_missing',
  'invalid_state',
  'compute_unavailable',
];
const SIGNS: Record<string, string> = {
  api_key_missing: '.',
  session_required: '.',
  role_required: '.',
  confirmation_required: 'c',
  second_factor_required: '2',
  account_suspended: 's',
};

export const isLetIn = (code: string) => LET_IN.includes(code);

type Named = Pick<Asked, 'audience' | 'operation' | 'method' | 'path'>;

export const asked = ({ audience, operation, method, path }: Named): Asked => ({
  ...{ audience, operation, method },
  path: path.replace(/\{\w+\}/g, ABSENT),
  name: `${method.padEnd(6)} ${path}`,
});

function cellOf(code: string, { operation, audience, name }: Asked, heading: string): string {
  const isLocal = audience === 'operator' && heading !== 'any' && Object.hasOwn(SOCKET_ONLY, operation);
  if (isLocal && ['not_found', 'method_not_allowed'].includes(code)) return '-';
  const sign = isScope(code) ? code : (SIGNS[code] ?? (isLetIn(code) && !isLocal ? 'x' : undefined));
  return sign ?? assert.fail(`${name} for ${heading}: ${code}`);
}

/** Asks for each operation with each credential. Returns the table; `tick` is called after each operation. */
export async function render(
  title: string,
  operations: readonly Asked[],
  doors: Record<string, Group>,
  tick: () => void,
): Promise<string> {
  const groups = Object.entries(doors);
  const rows: string[][] = [];
  for (const operation of operations) {
    const cells = [operation.name];
    for (const [, { columns, suits, also }] of groups) {
      const isHere = suits?.(operation) ?? true;
      for (const [heading, ask] of Object.entries(columns))
        cells.push(isHere ? cellOf(await ask(operation), operation, heading) : '');
      if (isHere) await also?.(operation);
    }
    rows.push(cells);
    tick();
  }
  const headings = groups.flatMap(([, { columns }]) => Object.keys(columns));
  const doorNames = groups.flatMap(([door, { columns }]) =>
    Object.keys(columns).map((_, at) => (at === 0 ? door : '')),
  );
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((cells) => cells[column + 1]!.length)),
  );
  const line = ([name = '', ...cells]: string[]) =>
    `${name.padEnd(NAME_WIDTH)} ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' ')}`.trimEnd();
  const doorLine = line([title, ...doorNames]);
  return `${[doorLine, line(['', ...headings]), ...rows.map(line)].join('\n')}\n`;
}
