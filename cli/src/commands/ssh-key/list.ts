import { command } from '../../command.ts';

export const listSshKeys = command('listSshKeys', {
  columns: ['id', 'name', 'fingerprint', 'algorithm'],
  wide: ['created_at', 'public_key'],
  example: 'vauban ssh-key list',
});
