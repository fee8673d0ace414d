import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { MoneyOfSpan } from '../../../shared/api/operator.ts';
import { formatMoney, useLocale } from '../format.ts';
import { useTexts } from '../texts.ts';
import { State, type Tone } from '../ui/Badge.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { Card, Columns, Facts, Figure, Page, Stack } from '../ui/Page.tsx';
import { Money } from '../ui/Values.tsx';
import { to } from './links.ts';
import { overviewQuery } from './overview-query.ts';
import { texts } from './texts.ts';

export function Overview() {
  const t = useTexts(texts);
  const locale = useLocale();
  const query = useQuery(overviewQuery);
  return (
    <Page title={t.overview}>
      <Loaded query={query}>
        {(all) => (
          <Stack>
            <Columns>
              <MoneyCard title={t.today} money={all.today} currency={all.currency} />
              <MoneyCard title={t.month} money={all.month} currency={all.currency} />
            </Columns>
            <Columns>
              <Card title={t.waiting}>
                <Facts
                  facts={[
                    waits(
                      t.transfers,
                      '/money',
                      all.transfers_waiting,
                      all.transfers_waiting > 0 &&
                        formatMoney(all.transfers_waiting_minor, all.currency, locale),
                    ),
                    waits(t.stuckJobs, '/jobs', all.jobs_stuck),
                    waits(t.errorVms, '/machines', all.vms_error, undefined, { show: 'error' }),
                    waits(t.unpaidVms, '/machines', all.vms_unpaid, undefined, { show: 'unpaid' }),
                    waits(t.failedMails, '/mails', all.mails_failed),
                    waits(t.liveAttacks, '/shield', all.attacks_ongoing),
                  ]}
                />
              </Card>
              <Card title={t.goingOn}>
                <Facts
                  facts={[
                    [
                      t.accounts,
                      `${all.accounts_active} ${t.active}, ${all.accounts_suspended} ${t.suspended}`,
                    ],
                    [t.machines, `${all.vms_total}, ${all.vms_running} ${t.running}`],
                    [t.jobs, String(all.jobs_active)],
                    [t.engine, all.compute],
                    [t.edge, all.edge],
                    [t.database, all.database],
                    [t.version, all.version],
                  ]}
                />
              </Card>
            </Columns>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function waits(
  label: string,
  path: string,
  count: number,
  more?: ReactNode,
  search?: Record<string, string>,
): [string, ReactNode] {
  const [tone, shape] = count === 0 ? (['ok', 'dot'] as const) : (['warn', 'triangle'] as [Tone, 'triangle']);
  return [
    label,
    <Link key={label} {...to(path, search)}>
      <State tone={tone} shape={shape}>
        {count} {more && <>({more})</>}
      </State>
    </Link>,
  ];
}

export function MoneyCard({
  title,
  money,
  currency,
}: {
  title: string;
  money: MoneyOfSpan;
  currency: string;
}) {
  const t = useTexts(texts);
  const locale = useLocale();
  return (
    <Card title={title}>
      <Columns>
        <Figure
          label={t.received}
          note={money.paid_out_minor > 0 && t.paidOut(formatMoney(money.paid_out_minor, currency, locale))}
        >
          <Money minor={money.received_minor} currency={currency} />
        </Figure>
        <Figure label={t.sold}>
          <Money minor={money.sold_minor} currency={currency} />
        </Figure>
      </Columns>
    </Card>
  );
}
