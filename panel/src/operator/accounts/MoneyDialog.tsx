import { useState } from 'react';
import type { AccountWithKeys } from '../../../../shared/api/operator.ts';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Field } from '../../ui/Field.tsx';
import { textOf } from '../../ui/Form.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { announce } from '../../ui/Status.tsx';
import { AmountField, amountOf, ReasonField, reasonOf } from '../money-fields.tsx';
import { MONEY_CHANGES } from './money-changes.ts';
import { accountTexts } from './texts.ts';

/** A correction has a reason, which the customer can read; a payment has a reference. */
type Kind = 'correction' | 'payment' | 'promo';

/** Credits or debits an account. */
export function MoneyDialog({
  account: { id, currency },
  type,
  onClose,
}: {
  account: AccountWithKeys;
  type: 'credit' | 'debit';
  onClose: () => void;
}) {
  const t = useTexts(accountTexts);
  const [kind, setKind] = useState<Kind>('correction');
  // A retry after a lost reply sends the same key, so that nothing is booked twice.
  const [key] = useState(() => crypto.randomUUID());
  const done = {
    changes: [...MONEY_CHANGES],
    onDone: () => {
      announce(t.booked);
      onClose();
    },
  };
  const correct = useChange('operator.makeAdjustment', done);
  const credit = useChange('operator.creditAccount', done);
  const debit = useChange('operator.debitAccount', done);
  const grant = useChange('operator.grantPromoCredit', done);
  const pay = type === 'credit' ? credit : debit;
  const change = { correction: correct, payment: pay, promo: grant }[kind];
  const submit = (values: FormData) => {
    const amount = amountOf(values, currency);
    const reason = reasonOf(values);
    if (kind === 'correction') correct.mutate({ params: { id }, body: { type, amount, reason, key } });
    else if (kind === 'promo') {
      const until = `${textOf(values, 'until')}T23:59:59Z`;
      grant.mutate({ params: { id }, body: { amount, until, reason, key } });
    } else {
      const reference = textOf(values, 'reference').trim();
      pay.mutate({ params: { id }, body: { amount, key, ...(reference && { reference }) } });
    }
  };
  const kinds: Kind[] = type === 'credit' ? ['correction', 'payment', 'promo'] : ['correction', 'payment'];
  const names: Record<Kind, string> = {
    correction: t.correction,
    payment: type === 'credit' ? t.paymentIn : t.paymentOut,
    promo: t.promo,
  };
  return (
    <FormDialog
      title={type === 'credit' ? t.credit : t.debit}
      onClose={onClose}
      submit={type === 'credit' ? t.creditGo : t.debitGo}
      change={change}
      onSubmit={submit}
    >
      <Select
        label={t.whatFor}
        options={kinds.map((value) => ({ value, label: names[value] }))}
        value={kind}
        onChange={setKind}
      />
      <AmountField currency={currency} autoFocus />
      {kind === 'promo' && <Field label={t.until} name="until" type="date" isRequired />}
      {kind === 'payment' ? (
        <Field
          label={t.reference}
          name="reference"
          hint={t.referenceHint}
          autoComplete="off"
          maxLength={100}
        />
      ) : (
        <ReasonField />
      )}
    </FormDialog>
  );
}
