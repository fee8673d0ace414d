import type { Vm } from '../../../api/customer.ts';
import { useChange } from '../../../api/queries.ts';
import { formatDate, useLocale } from '../../../format.ts';
import { useTexts } from '../../../texts.ts';
import { Switch } from '../../../ui/Checkbox.tsx';
import { Choice } from '../../../ui/Choice.tsx';
import { Problem } from '../../../ui/Notice.tsx';
import { Section } from '../../../ui/Page.tsx';
import { announce } from '../../../ui/Status.tsx';
import { useCatalog } from '../names.ts';
import { machineTexts } from '../texts.ts';
import classes from './settings.module.css';
import { settingsTexts } from './texts.ts';

/** Sets what happens at the end of the paid month. */
export function Renewal({ vm }: { vm: Vm }) {
  const t = useTexts(settingsTexts);
  const words = useTexts(machineTexts);
  const locale = useLocale();
  const { data: catalog } = useCatalog();
  const change = useChange('updateVm', {
    changes: ['getVm', 'getVmBilling', 'listVms'],
    onDone: () => announce(t.saved),
  });
  const modes = catalog?.plans.find(({ code }) => code === vm.plan)?.billing_modes ?? [];
  const params = { id: vm.id };
  const end = formatDate(vm.billing_period_end_at, locale);
  return (
    <Section title={t.renewal}>
      {change.error && <Problem error={change.error} />}
      <div className={classes.row}>
        <Switch
          isSelected={vm.auto_renew}
          isDisabled={change.isPending}
          onChange={(auto_renew) => change.mutate({ params, body: { auto_renew } })}
        >
          {t.autoRenew}
        </Switch>
        <p className={classes.note}>{vm.auto_renew ? t.renewsOn(end) : t.endsOn(end)}</p>
      </div>
      {modes.length > 1 && (
        <div className={classes.row}>
          <Choice
            label={t.nextMode}
            isLabelShown
            value={vm.next_billing_mode}
            onChange={(billing) => change.mutate({ params, body: { billing } })}
            options={modes.map((mode) => ({ value: mode, label: words[mode] }))}
          />
          <p className={classes.note}>{t.modeHint}</p>
        </div>
      )}
    </Section>
  );
}
