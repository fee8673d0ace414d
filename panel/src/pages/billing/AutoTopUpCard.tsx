import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AutoTopUp } from '../../api/panel.ts';
import { read, useChange } from '../../api/queries.ts';
import { formatMoney, useLocale } from '../../format.ts';
import { useRole } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { fieldText, parseMoney } from '../../typed-money.ts';
import { Button } from '../../ui/Button.tsx';
import { Switch } from '../../ui/Checkbox.tsx';
import { ConfirmDialog, Dialog } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, FormActions } from '../../ui/Form.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Card } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { announce } from '../../ui/Status.tsx';
import { deleteColumn, Table } from '../../ui/Table.tsx';
import { topUpTexts } from './top-up-texts.ts';

export function AutoTopUpCard() {
  const t = useTexts(topUpTexts);
  const locale = useLocale();
  const mayChange = useRole('owner');
  const query = useQuery(read('getAutoTopUp'));
  const [isOpen, setOpen] = useState(false);
  return (
    <Loaded query={query} lines={1}>
      {(auto) => {
        const money = (minor: number) => formatMoney(minor, auto.currency, locale);
        return (
          <Card
            title={t.auto}
            actions={
              mayChange && <Button onPress={() => setOpen(true)}>{auto.enabled ? t.change : t.setUp}</Button>
            }
          >
            <p>
              {auto.enabled ? t.autoOn(money(auto.amount_minor), money(auto.threshold_minor)) : t.autoOff}
            </p>
            {auto.last_error && <Notice kind="warn">{auto.last_error}</Notice>}
            {mayChange && auto.methods.length > 0 && <Methods auto={auto} />}
            <Dialog title={t.auto} isOpen={isOpen} onClose={() => setOpen(false)}>
              <AutoTopUpForm auto={auto} onDone={() => setOpen(false)} />
            </Dialog>
          </Card>
        );
      }}
    </Loaded>
  );
}

/** The stored payment methods, each with a button to remove it. */
function Methods({ auto: { methods, enabled, payment_method_id } }: { auto: AutoTopUp }) {
  const t = useTexts(topUpTexts);
  const [asked, setAsked] = useState<AutoTopUp['methods'][number]>();
  const remove = useChange('removePaymentMethod', {
    changes: ['getAutoTopUp'],
    onDone: () => {
      announce(t.removed);
      setAsked(undefined);
    },
  });
  return (
    <>
      <Table
        label={t.methods}
        rows={methods}
        keyOf={({ id }) => id}
        columns={[
          { id: 'label', title: t.method, narrow: 'title', cell: ({ label }) => label },
          { id: 'expires', title: t.validUntil, cell: ({ expires_on }) => expires_on ?? '–' },
          deleteColumn<AutoTopUp['methods'][number]>(
            ({ label }) => t.removeOne(label),
            setAsked,
            () => true,
          ),
        ]}
      />
      {asked && (
        <ConfirmDialog
          title={t.removeTitle(asked.label)}
          isOpen
          onClose={() => setAsked(undefined)}
          confirm={t.remove}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate({ params: { id: asked.id } })}
        >
          <p>{enabled && asked.id === payment_method_id ? t.removeTurnsOff : t.removeMeans}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function AutoTopUpForm({ auto, onDone }: { auto: AutoTopUp; onDone: () => void }) {
  const t = useTexts(topUpTexts);
  const [isOn, setOn] = useState(auto.enabled);
  const [method, setMethod] = useState(auto.payment_method_id ?? auto.methods[0]?.id ?? null);
  const [threshold, setThreshold] = useState(fieldText(auto.threshold_minor, auto.currency));
  const [amount, setAmount] = useState(fieldText(auto.amount_minor, auto.currency));
  const set = useChange('setAutoTopUp', {
    changes: ['getAutoTopUp'],
    onDone: () => {
      announce(t.saved);
      onDone();
    },
  });
  const { currency } = auto;
  const check = (value: string) =>
    parseMoney(value, currency) === undefined ? t.notAnAmount(currency) : null;
  const save = () => {
    const [threshold_minor, amount_minor] = [parseMoney(threshold, currency), parseMoney(amount, currency)];
    if (threshold_minor === undefined || amount_minor === undefined) return;
    set.mutate({ body: { enabled: isOn, threshold_minor, amount_minor, payment_method_id: method } });
  };
  if (auto.methods.length === 0) return <p>{t.noMethod}</p>;
  return (
    <Form error={set.error} onSubmit={save}>
      <Switch isSelected={isOn} onChange={setOn}>
        {t.enabled}
      </Switch>
      <Field
        label={t.threshold}
        name="threshold_minor"
        value={threshold}
        onChange={setThreshold}
        validate={check}
        suffix={currency}
        inputMode="decimal"
        mono
      />
      <Field
        label={t.refill}
        name="amount_minor"
        value={amount}
        onChange={setAmount}
        validate={check}
        suffix={currency}
        inputMode="decimal"
        mono
      />
      <Select
        label={t.with}
        name="payment_method_id"
        value={method}
        onChange={setMethod}
        options={auto.methods.map(({ id, label, expires_on }) => ({
          value: id,
          label: expires_on ? `${label} (${expires_on})` : label,
        }))}
      />
      <FormActions>
        <Button look="main" type="submit" isPending={set.isPending}>
          {t.save}
        </Button>
        <Button onPress={onDone}>{t.cancel}</Button>
      </FormActions>
    </Form>
  );
}
