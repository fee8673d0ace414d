import { sql } from '../../../db/database.ts';
import { misrecognized } from '../../../db/queries/money/recognition.ts';
import type { SellerLaw } from './law.ts';

/** Numbers of documents, and recognised revenue. */
export const SERIES_LAWS: SellerLaw[] = [
  {
    name: 'document numbers have no gaps and no duplicates',
    offences: sql`
      select id || ' (' || type || ') is number ' || sequence || ', after ' || before as what
      from (
        select id, type, sequence, lag(sequence, 1, 0) over (partition by type order by sequence, id) as before
        from invoices where sequence is not null
      ) document
      where sequence <> before + 1 + coalesce((
        -- Recorded when an older copy of the books was restored.
        select sum(gap.last - gap.first + 1) from series_gaps gap
        where gap.type = document.type and gap.first > before and gap.last < sequence), 0)`,
  },
  {
    name: 'a number matches its position in the series',
    offences: sql`
      select id || ' is ' || number || ', number ' || sequence || ' of its series' as what from invoices
      where sequence is not null and ltrim(substring(number from '[0-9]+$'), '0') is distinct from sequence::text`,
  },
  {
    name: 'a series has as many documents as recorded',
    offences: sql`
      select series.type || ' says ' || last || ', its documents say ' || greatest(max(sequence), max(gap), 0) as what
      from number_series series left join invoices on invoices.type = series.type
        left join lateral (select max(series_gaps.last) as gap from series_gaps where series_gaps.type = series.type) gaps on true
      group by series.type having series.last <> greatest(max(sequence), max(gap), 0)`,
  },
  {
    name: 'the dates of a series never decrease',
    offences: sql`
      select id || ' (' || number || ') was issued at ' || issued_at || ', after one of ' || before as what
      from (
        select id, number, issued_at, lag(issued_at) over (partition by type order by sequence) as before
        from invoices where sequence is not null
      ) document
      where issued_at < before`,
  },
  { name: 'revenue equals the services delivered by the end of each day', offences: misrecognized },
];
