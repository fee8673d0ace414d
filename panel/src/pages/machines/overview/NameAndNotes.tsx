import { useState } from 'react';
import type { Vm } from '../../../api/customer.ts';
import { useChange } from '../../../api/queries.ts';
import { useMay } from '../../../shell/site.ts';
import { useTexts } from '../../../texts.ts';
import { Button } from '../../../ui/Button.tsx';
import { Field } from '../../../ui/Field.tsx';
import { textOf } from '../../../ui/Form.tsx';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { announce } from '../../../ui/Status.tsx';
import { canConfigure } from '../actions.ts';
import { machineTexts } from '../texts.ts';
import classes from './overview.module.css';
import { overviewTexts } from './texts.ts';

export function NameAndNotes({ vm }: { vm: Vm }) {
  const t = useTexts(overviewTexts);
  const words = useTexts(machineTexts);
  const may = useMay('vm:write') && canConfigure(vm);
  const [isOpen, setIsOpen] = useState(false);
  const change = useChange('updateVm', {
    changes: ['getVm', 'listVms', 'listEvents'],
    onDone: () => {
      setIsOpen(false);
      announce(t.saved);
    },
  });
  const open = () => {
    change.reset();
    setIsOpen(true);
  };
  return (
    <>
      {vm.notes && <p className={classes.notes}>{vm.notes}</p>}
      {may && (
        <div>
          <Button icon="edit" onPress={open}>
            {t.rename}
          </Button>
        </div>
      )}
      <FormDialog
        title={t.rename}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        submit={words.save}
        change={change}
        onSubmit={(values) =>
          change.mutate({
            params: { id: vm.id },
            body: { hostname: textOf(values, 'hostname').trim(), notes: textOf(values, 'notes') || null },
          })
        }
      >
        <Field
          label={t.hostname}
          name="hostname"
          defaultValue={vm.hostname}
          hint={t.hostnameHint}
          autoFocus
          isRequired
        />
        <Field label={t.notes} name="notes" defaultValue={vm.notes ?? ''} rows={5} />
      </FormDialog>
    </>
  );
}
