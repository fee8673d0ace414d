import { useState } from 'react';
import { useChange } from '../api/queries.ts';
import { useTexts } from '../texts.ts';
import { Field } from '../ui/Field.tsx';
import { instantOf, textOf } from '../ui/Form.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Select } from '../ui/Select.tsx';
import { announce } from '../ui/Status.tsx';
import { ReasonField, reasonOf } from './money-fields.tsx';
import { texts } from './texts.ts';

/** Reports an outage of a region or a machine after it has ended. */
export function ReportOutage({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts);
  const [where, setWhere] = useState<'region' | 'vm_id'>('region');
  // A retry after a lost reply sends the same key, so that the outage is reported only once.
  const [key] = useState(() => crypto.randomUUID());
  const report = useChange('operator.reportOutage', {
    changes: ['operator.listOutages'],
    onDone: () => {
      announce(t.reported);
      onClose();
    },
  });
  const submit = (values: FormData) => {
    const span = { from: instantOf(values, 'from'), to: instantOf(values, 'to') };
    const body = { ...span, reason: reasonOf(values), key };
    report.mutate({ body: { ...body, [where]: textOf(values, where).trim() } });
  };
  return (
    <FormDialog title={t.report} onClose={onClose} submit={t.reportGo} change={report} onSubmit={submit}>
      <Select
        label={t.where}
        options={[
          { value: 'region', label: t.ofRegion },
          { value: 'vm_id', label: t.ofMachine },
        ]}
        value={where}
        onChange={setWhere}
      />
      {where === 'region' ? (
        <Field label={t.region} name="region" mono isRequired autoComplete="off" placeholder="eu-central" />
      ) : (
        <Field label={t.machineId} name="vm_id" mono isRequired autoComplete="off" placeholder="vm_…" />
      )}
      <Field label={t.from} name="from" type="datetime-local" isRequired autoComplete="off" />
      <Field label={t.to} name="to" type="datetime-local" isRequired autoComplete="off" />
      <ReasonField />
    </FormDialog>
  );
}
