import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SpecifiedEndpoint {
  /** Such as "GET /v1/vm/{id}". */
  name: string;
  scope: string;
  idempotent: boolean;
}

const lines = (file: string) =>
  readFileSync(join(import.meta.dirname, '..', file), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

/** The rows of a Markdown table: method, path, purpose, scope, and "yes" if it is idempotent. */
export const SPECIFICATION: readonly SpecifiedEndpoint[] = lines('specification-endpoints.txt')
  .filter((line) => line.startsWith('|'))
  .map((line) => {
    const [, method, path, , scope, idempotent] = line.split('|').map((cell) => cell.trim());
    return { name: `${method} ${path}`, scope: scope!, idempotent: idempotent === 'yes' };
  });

/** Endpoints of the specification that the service does not have yet. */
export const TO_COME: readonly string[] = lines('to-come.txt').filter((line) => !line.startsWith('#'));

/** All scopes; each grants something. */
export const SCOPES: readonly string[] = [...new Set(SPECIFICATION.map(({ scope }) => scope))];
