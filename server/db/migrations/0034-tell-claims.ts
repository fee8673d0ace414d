import type { Migration } from '../migrate.ts';

/** Open pages learn of a claim as they do of a balance. */
export const tellClaims: Migration = {
  name: '0034-tell-claims',
  up: `
drop trigger wallets_tell on wallets;
create trigger wallets_tell after update on wallets for each row
  when (old.available_minor is distinct from new.available_minor or old.held_minor is distinct from new.held_minor
    or old.claimed_minor is distinct from new.claimed_minor)
  execute function tell_account_changed('wallet');
`,
  down: `
drop trigger wallets_tell on wallets;
create trigger wallets_tell after update on wallets for each row
  when (old.available_minor is distinct from new.available_minor or old.held_minor is distinct from new.held_minor)
  execute function tell_account_changed('wallet');
`,
};
