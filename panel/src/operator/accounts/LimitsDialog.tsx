import type { AccountWithKeys } from '../../../../shared/api/operator.ts';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Field } from '../../ui/Field.tsx';
import { textOf } from '../../ui/Form.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { accountTexts } from './texts.ts';

export function LimitsDialog({ account, onClose }: { account: AccountWithKeys; onClose: () => void }) {
  const own = useTexts(accountTexts);
  const change = useChange('operator.setAccountLimits', {
    changes: ['operator.getAccount'],
    onDone: onClose,
  });
  const submit = (values: FormData) => {
    const changed = Object.entries(account.limits)
      .map(([name, now]) => [name, Number(textOf(values, `limits.${name}`)), now] as const)
      .filter(([, wanted, now]) => wanted !== now);
    if (changed.length === 0) return onClose();
    const limits = Object.fromEntries(changed);
    change.mutate({ params: { id: account.id }, body: { limits } });
  };
  return (
    <FormDialog title={own.limits} onClose={onClose} submit={own.save} change={change} onSubmit={submit}>
      {Object.entries(account.limits).map(([name, value]) => (
        <Field
          key={name}
          label={(own as Record<string, unknown>)[`limit_${name}`] as string}
          name={`limits.${name}`}
          defaultValue={String(value)}
          inputMode="numeric"
          mono
          isRequired
          autoComplete="off"
        />
      ))}
    </FormDialog>
  );
}
