import { useState } from 'react';
import type { HostMachine } from '../../../../shared/api/operator.ts';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Choices } from '../../ui/Choices.tsx';
import { Field } from '../../ui/Field.tsx';
import { instantOf } from '../../ui/Form.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { texts } from '../texts.ts';

/**
 * Moves all machines off a host. Machines that must be switched off for it are moved at once or in a maintenance
 * window.
 */
export function EmptyHost({ host, onClose }: { host: HostMachine; onClose: () => void }) {
  const t = useTexts(texts);
  const [when, setWhen] = useState<'at_once' | 'in_window'>('at_once');
  const empty = useChange('operator.emptyHost', {
    changes: ['operator.listHosts', 'operator.getCapacity'],
    onDone: onClose,
  });
  const submit = (values: FormData) => {
    const body = when === 'at_once' ? {} : { from: instantOf(values, 'from'), to: instantOf(values, 'to') };
    empty.mutate({ params: { host: host.id }, body });
  };
  return (
    <FormDialog
      title={t.emptyHostOf(host.name)}
      onClose={onClose}
      submit={t.emptyHost}
      change={empty}
      onSubmit={submit}
    >
      <p>{t.emptyHostWhy}</p>
      <Choices
        label={t.movesWhen}
        name="when"
        choices={[
          { value: 'at_once', label: t.movesAtOnce },
          { value: 'in_window', label: t.movesInWindow, hint: t.movesInWindowWhy },
        ]}
        value={when}
        onChange={setWhen}
      />
      {when === 'in_window' && (
        <>
          <Field label={t.from} name="from" type="datetime-local" isRequired autoComplete="off" />
          <Field label={t.to} name="to" type="datetime-local" isRequired autoComplete="off" />
        </>
      )}
    </FormDialog>
  );
}
