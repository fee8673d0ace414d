import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PlanQuote, Vm } from '../../../api/customer.ts';
import { isRefusal } from '../../../api/errors.ts';
import { read, useChange } from '../../../api/queries.ts';
import { formatMoney, useLocale } from '../../../format.ts';
import { errorText } from '../../../problems.ts';
import { useLanguage } from '../../../settings.ts';
import { useTexts } from '../../../texts.ts';
import { Button } from '../../../ui/Button.tsx';
import { Checkbox } from '../../../ui/Checkbox.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Notice, Problem } from '../../../ui/Notice.tsx';
import { announce } from '../../../ui/Status.tsx';
import { Money } from '../../../ui/Values.tsx';
import type { Size } from '../create/SizeSliders.tsx';
import { TopUpLink } from '../create/TopUpLink.tsx';
import { formatDisk, formatRam } from '../formats.ts';
import { useCatalog, useCatalogNames } from '../names.ts';
import { machineTexts } from '../texts.ts';
import classes from './resize.module.css';
import { resizeTexts } from './texts.ts';

export type Target = { plan: string; size?: undefined } | { size: Size; plan?: undefined };

const CHANGED = [
  'getVm',
  'listVms',
  'listPlanOptions',
  'getPlanQuote',
  'getWallet',
  'getVmBilling',
  'listJobs',
] as const;
/** The blocker that no longer applies if the customer allows a restart. */
const NEEDS_RESTART = 'vm_must_be_stopped';

/** Shows the cost and the requirements of a resize, then applies it. */
export function ResizeDialog({ vm, target, onClose }: { vm: Vm; target: Target; onClose: () => void }) {
  const t = useTexts(resizeTexts);
  const words = useTexts(machineTexts);
  const language = useLanguage();
  const [growsDisk, setGrowsDisk] = useState(true);
  const [mayRestart, setMayRestart] = useState(false);
  const { data: catalog } = useCatalog();
  const plan = catalog?.plans.find(({ code }) => code === target.plan);
  const hasLargerDisk = plan !== undefined && plan.disk_gb > vm.disk_gb;
  const about = target.plan === undefined ? target.size : { plan: target.plan, resize_disk: growsDisk };
  const query = useQuery(read('getPlanQuote', { params: { id: vm.id }, query: about }));
  const done = () => {
    announce(t.onTheWay);
    onClose();
  };
  const changePlan = useChange('changePlan', { changes: [...CHANGED], onDone: done });
  const changeCustom = useChange('changeCustom', { changes: [...CHANGED], onDone: done });
  const { error, isPending } = target.plan === undefined ? changeCustom : changePlan;
  const apply = (quote: PlanQuote) => {
    // Charges at most the amount shown: if the price has gone up in the meantime, the service refuses.
    const most = { allow_reboot: mayRestart, max_charge_minor: Math.max(0, quote.net_minor) };
    const params = { id: vm.id };
    if (target.plan === undefined) changeCustom.mutate({ params, body: { ...target.size, ...most } });
    else changePlan.mutate({ params, body: { plan: target.plan, resize_disk: growsDisk, ...most } });
  };
  const quote = query.data;
  const blockers = quote?.blockers.filter(({ code }) => code !== NEEDS_RESTART || !mayRestart) ?? [];
  const hard = blockers.filter(({ code }) => code !== NEEDS_RESTART && code !== 'insufficient_funds');
  const lacksRestart = quote?.requires_reboot && vm.status === 'running' && !mayRestart;
  const isPossible = quote !== undefined && blockers.length === 0 && !lacksRestart;
  return (
    <Dialog
      title={t.changeTo(useTargetName(target))}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{words.cancel}</Button>
          <Button
            look="main"
            isDisabled={!isPossible}
            isPending={isPending}
            onPress={() => quote && apply(quote)}
          >
            {quote && quote.net_minor > 0 ? t.buy : t.change}
          </Button>
        </>
      }
    >
      <div className={classes.quote}>
        {error && (
          <Problem error={error}>{isRefusal(error, 'price_changed') ? t.priceChanged : undefined}</Problem>
        )}
        {hard.map((blocker) => (
          <Notice key={blocker.code} kind="warn">
            {errorText(blocker, language)}
          </Notice>
        ))}
        {hasLargerDisk && (
          <Checkbox isSelected={growsDisk} onChange={setGrowsDisk} hint={t.diskHint}>
            {t.growDisk}
          </Checkbox>
        )}
        {vm.status === 'running' && (
          <Checkbox isSelected={mayRestart} onChange={setMayRestart} hint={t.restartHint}>
            {t.mayRestart}
          </Checkbox>
        )}
        <Loaded query={query} lines={4}>
          {(loaded) => <Lines quote={loaded} vm={vm} target={target} />}
        </Loaded>
        {quote && !quote.sufficient && (
          <TopUpLink shortfall={quote.shortfall_minor} currency={quote.currency} />
        )}
      </div>
    </Dialog>
  );
}

function useTargetName(target: Target): string {
  const words = useTexts(machineTexts);
  const names = useCatalogNames();
  const locale = useLocale();
  if (target.plan !== undefined) return names.plan(target.plan);
  const { vcpu, ram_mb, disk_gb } = target.size;
  return words.size(vcpu, formatRam(ram_mb, locale), formatDisk(disk_gb, locale));
}

function Lines({ quote, vm, target }: { quote: PlanQuote; vm: Vm; target: Target }) {
  const t = useTexts(resizeTexts);
  const locale = useLocale();
  const catalogPrice = useLaterPrice(target);
  return (
    <>
      <table className={classes.lines}>
        <tbody>
          {quote.lines.map(({ description, amount_minor }) => (
            <tr key={description}>
              <th scope="row">{description}</th>
              <td>
                <Money minor={amount_minor} currency={quote.currency} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{quote.net_minor < 0 ? t.back : t.payNow}</th>
            <td>
              <Money minor={Math.abs(quote.net_minor)} currency={quote.currency} />
            </td>
          </tr>
        </tfoot>
      </table>
      {catalogPrice !== undefined && (
        <p>
          {t.later(
            formatMoney(vm.price_monthly_minor, vm.currency, locale),
            formatMoney(catalogPrice, vm.currency, locale),
          )}
        </p>
      )}
      <p>{t.wallet(formatMoney(quote.balance_available_minor, quote.currency, locale))}</p>
    </>
  );
}

/** The monthly price after the resize. */
function useLaterPrice(target: Target): number | undefined {
  const catalog = useQuery(read('getCatalog'));
  const custom = useQuery({
    ...read('getCustomQuote', { query: target.size ?? { vcpu: 1, ram_mb: 1, disk_gb: 1 } }),
    enabled: target.size !== undefined,
  });
  if (target.plan === undefined) return custom.data?.total_minor;
  return catalog.data?.plans.find(({ code }) => code === target.plan)?.price_monthly_minor;
}
