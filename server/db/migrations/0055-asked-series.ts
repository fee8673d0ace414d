import type { Migration } from '../migrate.ts';

const guard = (goesBack: string) => `
create or replace function guard_series() returns trigger language plpgsql as $$
begin
  if new.type <> old.type or ${goesBack} or new.last_issued_at < old.last_issued_at then
    raise exception 'the series of % only goes forward', old.type;
  end if;
  return new;
end $$;`;

/** Numbers of documents that may have been given before an older copy of the books was restored. */
export const askedSeries: Migration = {
  name: '0055-asked-series',
  up: `
-- Since when an operator is asked up to which number documents were issued, why, and which number is the least answer.
-- Nodes of the last release do not wait for the answer.
alter table number_series add column asked_at timestamptz, add column asked_because text, add column at_least bigint not null default 0;
alter table number_series add check (num_nulls(asked_at, asked_because) in (0, 2)), add check (at_least >= 0 and (at_least = 0 or asked_at is not null));

-- A question changes no number.
${guard('new.last < old.last or new.last = old.last and new.last_issued_at is distinct from old.last_issued_at')}
-- Numbers that no document of these books has, because lost ones may have them.
create table series_gaps (
  type text not null references number_series,
  first bigint not null,
  last bigint not null,
  recorded_at timestamptz not null,
  recorded_by text not null,
  seal bytea not null,
  primary key (type, first),
  check (first between 1 and last)
);
create trigger series_gaps_sealed before insert on series_gaps for each row execute function seal_row();
create trigger series_gaps_kept before update or delete on series_gaps for each row execute function refuse_book_change();
create trigger series_gaps_no_truncate before truncate on series_gaps for each statement execute function refuse_book_change();
`,
  down: `
drop table series_gaps;
${guard('new.last <= old.last')}
alter table number_series drop column asked_at, drop column asked_because, drop column at_least;
`,
};
