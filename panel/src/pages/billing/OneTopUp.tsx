import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { read } from '../../api/queries.ts';
import { formatMoney, useLocale } from '../../format.ts';
import { useTexts } from '../../texts.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Card, Facts, Page, Stack } from '../../ui/Page.tsx';
import { Address, Money } from '../../ui/Values.tsx';
import { rememberedStep } from './next-step.ts';
import { topUpTexts } from './top-up-texts.ts';

const route = getRouteApi('/shell/billing/top-ups/$id');
/** How often a payment is looked at that somebody waits for. */
const LOOK_MS = 3_000;

/** What became of a top-up: paid, on its way with what to write on the transfer, or failed. */
export function OneTopUp() {
  const t = useTexts(topUpTexts);
  const { id } = route.useParams();
  const { next } = route.useSearch();
  const client = useQueryClient();
  const query = useQuery({
    ...read('getTopUp', { params: { id } }),
    refetchInterval: ({ state: { data } }) => (data?.status === 'pending' ? LOOK_MS : false),
  });
  const step = rememberedStep(id);
  const status = query.data?.status;
  useEffect(() => {
    if (status === 'succeeded') void client.invalidateQueries({ queryKey: ['getWallet'] });
  }, [client, status]);
  const locale = useLocale();
  const onward = next ? (
    <a href={`/panel${next}`} className={buttonClass('main')}>
      {t.goBack}
    </a>
  ) : (
    <Link to="/billing" className={buttonClass('main')}>
      {t.toBilling}
    </Link>
  );
  return (
    <Page title={t.title} narrow>
      <Loaded query={query}>
        {(topUp) => {
          const amount = formatMoney(topUp.amount_minor, topUp.currency, locale);
          if (topUp.status === 'succeeded') {
            return (
              <Notice kind="ok" title={t.done} action={onward}>
                {t.doneWhy(amount)}
              </Notice>
            );
          }
          if (topUp.status !== 'pending') {
            return (
              <Notice
                kind="bad"
                title={t.failedTitle}
                action={
                  <Link
                    to="/billing/top-up"
                    search={{ amount: topUp.amount_minor, next }}
                    className={buttonClass()}
                  >
                    {t.again}
                  </Link>
                }
              >
                {t.failedWhy}
              </Notice>
            );
          }
          return (
            <Stack>
              <Notice title={t.waiting}>{t.waitingWhy}</Notice>
              {step?.kind === 'bank_transfer' && (
                <Card title={t.transferTitle}>
                  <p>{t.transferWhy}</p>
                  <Facts
                    facts={[
                      [t.amount, <Money key="amount" minor={topUp.amount_minor} currency={topUp.currency} />],
                      [
                        t.reference,
                        <Address key="reference" what={t.reference}>
                          {step.reference}
                        </Address>,
                      ],
                      [
                        t.recipient,
                        <Address key="recipient" what={t.recipient}>
                          {step.recipient}
                        </Address>,
                      ],
                      [
                        'IBAN',
                        <Address key="iban" what="IBAN">
                          {step.iban}
                        </Address>,
                      ],
                      ...(step.bic
                        ? [
                            [
                              'BIC',
                              <Address key="bic" what="BIC">
                                {step.bic}
                              </Address>,
                            ] as [string, ReactNode],
                          ]
                        : []),
                    ]}
                  />
                </Card>
              )}
            </Stack>
          );
        }}
      </Loaded>
    </Page>
  );
}
