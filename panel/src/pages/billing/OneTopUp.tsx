import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { OneTopUp as OneTopUpData } from '../../api/panel.ts';
import { read, useChange } from '../../api/queries.ts';
import { formatMoney, useLocale } from '../../format.ts';
import { useRole } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Notice, Problem } from '../../ui/Notice.tsx';
import { Card, Facts, Page, Stack } from '../../ui/Page.tsx';
import { Address, Money } from '../../ui/Values.tsx';
import { topUpTexts } from './top-up-texts.ts';

const route = getRouteApi('/shell/billing/top-ups/$id');
/** Polling interval of a payment that the customer is waiting for. */
const LOOK_MS = 3_000;
/** Polling interval of a payment that takes days. */
const SLOW_LOOK_MS = 60_000;

/** The status of a top-up: paid, pending with the details of the bank transfer, or failed. */
export function OneTopUp() {
  const t = useTexts(topUpTexts);
  const { id } = route.useParams();
  const { next } = route.useSearch();
  const client = useQueryClient();
  const query = useQuery({
    ...read('getTopUp', { params: { id } }),
    refetchInterval: ({ state: { data } }) =>
      data?.status === 'pending' ? LOOK_MS : data?.status === 'processing' ? SLOW_LOOK_MS : false,
  });
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
          if (topUp.status === 'processing') {
            return (
              <Notice title={t.processingTitle} action={onward}>
                {t.processingWhy(amount)}
              </Notice>
            );
          }
          if (topUp.status !== 'pending') {
            return (
              <Notice
                kind="bad"
                title={topUp.status === 'canceled' ? t.canceledTitle : t.failedTitle}
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
          return <Waiting topUp={topUp} />;
        }}
      </Loaded>
    </Page>
  );
}

/** An unpaid top-up: the next step, and a button to cancel it. */
function Waiting({ topUp }: { topUp: OneTopUpData }) {
  const t = useTexts(topUpTexts);
  const cancel = useChange('cancelTopUp', { changes: ['getTopUp', 'listTopUps'] });
  const mayCancel = useRole('operator');
  const step = topUp.next;
  return (
    <Stack>
      <Notice
        title={t.waiting}
        action={
          step?.kind === 'redirect' && (
            <a href={step.url} className={buttonClass('main')}>
              {t.toPayment}
            </a>
          )
        }
      >
        {t.waitingWhy}
      </Notice>
      {cancel.error && <Problem error={cancel.error} />}
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
      {mayCancel && topUp.cause === 'person' && (
        <div>
          <Button isPending={cancel.isPending} onPress={() => cancel.mutate({ params: { id: topUp.id } })}>
            {t.cancelTopUp}
          </Button>
        </div>
      )}
    </Stack>
  );
}
