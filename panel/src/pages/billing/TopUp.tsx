import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { PaymentProvider } from '../../api/panel.ts';
import { read, useChange } from '../../api/queries.ts';
import { formatMoney, useLocale } from '../../format.ts';
import { useTexts } from '../../texts.ts';
import { fieldText, parseMoney } from '../../typed-money.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Choices } from '../../ui/Choices.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, FormActions } from '../../ui/Form.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { useMethodName } from './method-name.ts';
import { topUpTexts } from './top-up-texts.ts';

const route = getRouteApi('/shell/billing/top-up');
/** The suggested amount as a multiple of the minimum: 25.00 for a minimum of 5.00, in any currency. */
const USUAL_MULTIPLE = 5;

export function TopUp() {
  const t = useTexts(topUpTexts);
  const providers = useQuery(read('listPaymentProviders'));
  const wallet = useQuery(read('getWallet'));
  return (
    <Page title={t.title} narrow>
      <p>{t.why}</p>
      <Loaded query={providers}>
        {(providers) => (
          <Loaded query={wallet}>
            {({ currency }) =>
              providers.length > 0 ? (
                <TopUpForm providers={providers} currency={currency} />
              ) : (
                <Empty title={t.none}>{t.noneWhy}</Empty>
              )
            }
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

function TopUpForm({ providers, currency }: { providers: PaymentProvider[]; currency: string }) {
  const t = useTexts(topUpTexts);
  const locale = useLocale();
  const nameOf = useMethodName();
  const navigate = useNavigate();
  const { amount: missing, next } = route.useSearch();
  const [name, setName] = useState(providers[0]!.id);
  const provider = providers.find(({ id }) => id === name)!;
  const usual = Math.min(provider.minimum_minor * USUAL_MULTIPLE, provider.maximum_minor);
  const first = Math.max(missing ?? usual, provider.minimum_minor);
  const [text, setText] = useState(() => fieldText(first, currency));
  const [wantsKept, setKept] = useState(false);
  const isKept = wantsKept && provider.can_store;
  const minor = parseMoney(text, currency);
  const money = (minor: number) => formatMoney(minor, currency, locale);
  const start = useChange('startTopUp', {
    changes: ['getWallet', 'listTopUps', 'listPayments', 'getBillingSummary'],
    onDone: ({ top_up, next: step }) => {
      if (step.kind === 'redirect') location.assign(step.url);
      else navigate({ to: '/billing/top-ups/$id', params: { id: top_up.id }, search: { next } });
    },
  });
  return (
    <Card>
      {missing && <Notice>{t.missing(money(missing))}</Notice>}
      <Form
        error={start.error}
        onSubmit={() =>
          minor !== undefined &&
          start.mutate({
            body: { amount_minor: minor, provider: name, ...(isKept && { keep_method: true }) },
          })
        }
      >
        <Field
          label={t.amount}
          name="amount_minor"
          value={text}
          onChange={setText}
          inputMode="decimal"
          autoComplete="off"
          mono
          suffix={currency}
          hint={t.between(money(provider.minimum_minor), money(provider.maximum_minor))}
          validate={(value) => (parseMoney(value, currency) === undefined ? t.notAnAmount(currency) : null)}
          isRequired
        />
        <Choices
          label={t.how}
          name="provider"
          value={name}
          onChange={setName}
          choices={providers.map(({ id }) => ({
            value: id,
            label: nameOf(id),
            hint: (t as Record<string, unknown>)[id] as string | undefined,
          }))}
        />
        {provider.can_store && (
          <Checkbox isSelected={isKept} onChange={setKept}>
            {t.keep}
          </Checkbox>
        )}
        <FormActions>
          <Button look="main" type="submit" isPending={start.isPending}>
            {minor === undefined ? t.goOn : t.go(money(minor))}
          </Button>
        </FormActions>
      </Form>
    </Card>
  );
}
