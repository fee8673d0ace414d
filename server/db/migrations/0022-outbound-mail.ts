import type { Migration } from '../migrate.ts';

/** Whether an account's VMs may connect to port 25 of others: an operator opens it. */
export const outboundMail: Migration = {
  name: '0022-outbound-mail',
  up: 'alter table accounts add column smtp_open boolean not null default false',
  down: 'alter table accounts drop column smtp_open',
};
