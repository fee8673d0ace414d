import type { Migration } from '../migrate.ts';

/** Which of the ops keys each guest authorizes, so that the key can be replaced in all of them. */
export const opsKey: Migration = {
  name: '0009-ops-key',
  up: `
-- "SHA256:…", as ssh-keygen prints it. Null where no guest was made yet.
alter table vms add column ops_key_fingerprint text;
update vms set ops_key_fingerprint = (
  select 'SHA256:' || rtrim(encode(sha256(decode(split_part(value ->> 'public_key', ' ', 2), 'base64')), 'base64'), '=')
  from settings where name = 'ops_key')
where deleted_at is null;
create index vms_by_ops_key on vms (ops_key_fingerprint, id) where deleted_at is null;
`,
  down: `
drop index vms_by_ops_key;
alter table vms drop column ops_key_fingerprint;
`,
};
