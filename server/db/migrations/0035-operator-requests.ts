import type { Migration } from '../migrate.ts';

/** The operator's log calls a request what it is. */
export const operatorRequests: Migration = {
  name: '0035-operator-requests',
  up: 'alter table operator_log rename column deed to request;',
  down: 'alter table operator_log rename column request to deed;',
};
