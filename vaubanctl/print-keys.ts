import type { Key } from './operator-api.ts';
import { instant, printTable } from './output.ts';

export function printKeys(keys: Key[]): void {
  printTable(
    ['ID', 'NAME', 'KEY', 'STATUS', 'EXPIRES', 'LAST USED', 'FROM', 'SCOPES'],
    keys.map((key) => [
      key.id,
      key.name,
      key.hint,
      key.status,
      instant(key.expires_at),
      instant(key.last_used_at),
      key.allow_cidrs.join(',') || 'anywhere',
      key.scopes.join(','),
    ]),
  );
}
