import type { Migration } from '../migrate.ts';

/**
 * Hints to the pages of an account that something has changed, sent by the tables themselves: whoever moves money or
 * revokes a key need not think of who is looking. The same hint of one transaction is sent once.
 */
export const accountChanges: Migration = {
  name: '0029-account-changes',
  up: `
create function tell_account_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('account_changed', new.account_id || ' ' || tg_argv[0]);
  return null;
end $$;
create trigger wallets_tell after update on wallets for each row
  when (old.available_minor is distinct from new.available_minor or old.held_minor is distinct from new.held_minor)
  execute function tell_account_changed('wallet');
create trigger shield_attacks_tell after insert or update of status on shield_attacks for each row
  execute function tell_account_changed('shield');
create trigger api_keys_tell after insert or update of revoked_at on api_keys for each row
  execute function tell_account_changed('keys');

-- What is old is forgotten.
create index audit_entries_by_time on audit_entries (created_at);
`,
  down: `
drop index audit_entries_by_time;
drop trigger api_keys_tell on api_keys;
drop trigger shield_attacks_tell on shield_attacks;
drop trigger wallets_tell on wallets;
drop function tell_account_changed;
`,
};
