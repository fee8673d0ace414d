import type { Migration } from '../migrate.ts';

const SEALED = ['orders', 'order_lines', 'payments', 'invoices'];

const seal = (table: string) => `
alter table ${table} add column seal bytea;
alter table ${table} disable trigger user;
update ${table} set seal = row_seal(to_jsonb(${table}));
alter table ${table} enable trigger user;
alter table ${table} alter column seal set not null;
create trigger ${table}_sealed before insert or update on ${table} for each row execute function seal_row();`;

/**
 * Makes what is edited behind the service's back show. The journal is a chain of hashes for each account; orders, their
 * lines, payments and invoices carry a hash of their own content each.
 */
export const sealedBooks: Migration = {
  name: '0013-sealed-books',
  up: `
-- Instants are hashed as they are written in UTC.
set local timezone = 'UTC';

-- A hash of a row's columns, by name. Those that are null are left out, so that a column added later changes no hash; a
-- migration that changes what is in the rows has to seal them anew.
create function row_seal(content jsonb) returns bytea language sql immutable as $$
  select sha256(convert_to((jsonb_strip_nulls(content) - 'seal')::text, 'UTF8'))
$$;
create function seal_row() returns trigger language plpgsql set timezone = 'UTC' as $$
begin
  new.seal := row_seal(to_jsonb(new));
  return new;
end $$;
${SEALED.map(seal).join('\n')}

-- The row's place among those of its account, and a hash of its content and of the row before it. What belongs to no
-- account is the chain 'seller'.
alter table journal add column position bigint;
alter table journal add column hash bytea;
create index journal_by_time on journal (created_at, id);

-- The last row of each chain: without it the last row could be deleted without a trace.
create table journal_heads (
  chain id_text primary key,
  position bigint not null,
  hash bytea not null
);

create function journal_hash(previous bytea, content jsonb) returns bytea language sql immutable as $$
  select sha256(previous || convert_to((jsonb_strip_nulls(content) - 'hash')::text, 'UTF8'))
$$;

-- Who writes to the journal holds the account's wallet: the head is only ever waited for by what belongs to no account.
-- It is moved once the row is there, since an insert may yet come to nothing ("on conflict do nothing"); until then the
-- last row of a statement of several is looked up.
create function chain_journal() returns trigger language plpgsql set timezone = 'UTC' as $$
declare
  name constant id_text := coalesce(new.account_id, 'seller');
  head journal_heads;
  fresh record;
begin
  select * into head from journal_heads where chain = name for no key update;
  if not found then
    insert into journal_heads values (name, 0, '') on conflict do nothing;
    select * into head from journal_heads where chain = name for no key update;
  end if;
  select position, hash into fresh from journal
    where coalesce(account_id, 'seller') = name and position > head.position order by position desc limit 1;
  new.position := coalesce(fresh.position, head.position) + 1;
  new.hash := journal_hash(coalesce(fresh.hash, head.hash), to_jsonb(new));
  return new;
end $$;
create function move_journal_head() returns trigger language plpgsql as $$
begin
  update journal_heads set position = new.position, hash = new.hash where chain = coalesce(new.account_id, 'seller');
  return null;
end $$;

alter table journal disable trigger user;
do $$
declare
  entry journal;
  head journal_heads;
begin
  for entry in select * from journal order by coalesce(account_id, 'seller'), id loop
    if head.chain is distinct from coalesce(entry.account_id, 'seller') then
      if head.chain is not null then insert into journal_heads select head.*; end if;
      head := row(coalesce(entry.account_id, 'seller'), 0, ''::bytea);
    end if;
    entry.position := head.position + 1;
    head := row(head.chain, entry.position, journal_hash(head.hash, to_jsonb(entry)));
    update journal set position = head.position, hash = head.hash where id = entry.id;
  end loop;
  if head.chain is not null then insert into journal_heads select head.*; end if;
end $$;
alter table journal enable trigger user;

alter table journal alter column position set not null;
alter table journal alter column hash set not null;
create unique index journal_chains on journal (coalesce(account_id, 'seller'), position);
create trigger journal_chained before insert on journal for each row execute function chain_journal();
create trigger journal_head_moved after insert on journal for each row execute function move_journal_head();
`,
  down: `
drop trigger journal_head_moved on journal;
drop trigger journal_chained on journal;
drop function move_journal_head, chain_journal, journal_hash;
drop table journal_heads;
drop index journal_by_time, journal_chains;
alter table journal drop column position, drop column hash;
${SEALED.map((table) => `drop trigger ${table}_sealed on ${table};\nalter table ${table} drop column seal;`).join('\n')}
drop function seal_row, row_seal;
`,
};
