import type { Migration } from '../migrate.ts';

/** The payments of a reversal add up to its state, whoever books it: a node of the last release knows of no parts. */
export const debts: Migration = {
  name: '0050-debts',
  up: `
-- A node of the last release voids a reversal that is owed without giving back the parts that were taken, and takes in full
-- what was taken in part. All nodes book the payments first, so that the sum is there when the reversal changes.
create function guard_reversal() returns trigger language plpgsql as $$
declare taken bigint;
begin
  select coalesce(-sum(amount_minor), 0) into taken from payments where id in (
    select payment_id from top_up_reversal_payments where reversal_id = new.id
    union all select unnest(array[new.payment_id, new.returned_payment_id]));
  if old.payment_id <> new.payment_id or old.returned_payment_id <> new.returned_payment_id
    or (case new.status when 'owed' then taken < 0 or taken >= new.amount_minor
      when 'taken' then taken <> new.amount_minor else taken <> 0 end) then
    raise exception 'the payments do not add up to reversal %, which is % with % taken of %', new.id, new.status, taken, new.amount_minor;
  end if;
  return new;
end $$;
create trigger top_up_reversals_add_up before update of status, amount_minor, payment_id, returned_payment_id on top_up_reversals
  for each row execute function guard_reversal();
`,
  down: `
drop trigger top_up_reversals_add_up on top_up_reversals;
drop function guard_reversal;
`,
};
