import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { callWith } from '../../../api/client.ts';
import type { Plan } from '../../../api/customer.ts';
import { isRefusal } from '../../../api/errors.ts';
import { read } from '../../../api/queries.ts';
import { formatDecimal, formatMoney, useLocale } from '../../../format.ts';
import { useTexts } from '../../../texts.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { CodeBlock } from '../../../ui/Values.tsx';
import { formatDisk, formatRam } from '../formats.ts';
import { customMonthlyMinor, netMinor, shortfall } from '../prices.ts';
import { machineTexts } from '../texts.ts';
import type { Offer } from './Choices.tsx';
import classes from './create.module.css';
import { type Draft, forgetDraft } from './draft.ts';
import { TopUpLink } from './TopUpLink.tsx';
import { createTexts } from './texts.ts';

export function Purchase({
  draft,
  offer,
  onError,
}: {
  draft: Draft;
  offer: Offer;
  onError: (error: Error | null) => void;
}) {
  const t = useTexts(createTexts);
  const words = useTexts(machineTexts);
  const locale = useLocale();
  const { catalog, prices } = offer;
  const wallet = useQuery(read('getWallet'));
  const buy = useBuy(draft, offer, onError);
  const { currency } = catalog;
  const isCustom = draft.way === 'custom';
  const plan = isCustom ? undefined : catalog.plans.find(({ code }) => code === draft.plan);
  const monthly = isCustom
    ? customMonthlyMinor(draft.size, prices?.components ?? [], currency)
    : plan?.price_monthly_minor;
  const available = wallet.data?.available_minor;
  const missing = monthly !== undefined && available !== undefined ? shortfall(monthly, available) : 0;
  const size = isCustom ? draft.size : plan;
  const isHourly = isBilledByTheHour(draft, plan);
  const netText = (minor: number) => {
    const net = netMinor(minor, catalog.tax_rate);
    if (net === minor) return t.noVat;
    return t.net(formatMoney(net, currency, locale), formatMoney(minor - net, currency, locale));
  };
  return (
    <aside className={classes.purchase} aria-label={t.order}>
      <div className={classes.price}>
        <span>{isCustom ? words.custom : plan?.name}</span>
        <strong>{monthly === undefined ? '–' : formatMoney(monthly, currency, locale)}</strong>
        <small>
          {isHourly && plan?.price_hourly
            ? t.atMost(formatDecimal(plan.price_hourly, currency, locale))
            : t.aMonth}
        </small>
        {catalog.net_prices && monthly !== undefined && <small>{netText(monthly)}</small>}
      </div>
      {size && (
        <p className={`${classes.note} ${classes.detail}`}>
          {words.size(size.vcpu, formatRam(size.ram_mb, locale), formatDisk(size.disk_gb, locale))}
        </p>
      )}
      <dl className={`${classes.sums} ${classes.detail}`}>
        <dt>{t.inWallet}</dt>
        <dd>{available === undefined ? '–' : formatMoney(available, currency, locale)}</dd>
        <dt>{t.after}</dt>
        <dd>
          {available === undefined || monthly === undefined
            ? '–'
            : formatMoney(available - monthly, currency, locale)}
        </dd>
      </dl>
      {missing > 0 && <TopUpLink shortfall={missing} currency={currency} />}
      {buy.error && isRefusal(buy.error, 'price_changed') && <Notice kind="warn">{t.priceChanged}</Notice>}
      <div className={classes.buy}>
        <Button
          look="main"
          isPending={buy.isPending}
          isDisabled={monthly === undefined || missing > 0}
          onPress={() => monthly !== undefined && buy.mutate({ plan, most: monthly })}
        >
          {t.buy}
        </Button>
      </div>
      <p className={`${classes.note} ${classes.detail}`}>{t.fair}</p>
      <Secret buy={buy} />
    </aside>
  );
}

function useBuy(draft: Draft, { catalog }: Offer, onError: (error: Error | null) => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [secret, setSecret] = useState<{ id: string; password: string }>();
  const go = (id: string) => {
    forgetDraft();
    void navigate({ to: '/machines/$id', params: { id } });
  };
  const mutation = useMutation({
    mutationKey: ['createVm'],
    mutationFn: ({ plan, most }: { plan: Plan | undefined; most: number }) => {
      const once = { idempotencyKey: draft.purchase };
      const wish = {
        template: draft.template,
        region: draft.region,
        hostname: draft.hostname.trim(),
        ssh_key_ids: draft.keys,
        billing: isBilledByTheHour(draft, plan) ? ('hourly' as const) : ('monthly' as const),
        auto_renew: draft.autoRenew,
        start: draft.start,
        notes: draft.notes.trim() || null,
        ...(draft.userData.trim() && { user_data: draft.userData }),
        max_charge_minor: most,
      };
      return plan
        ? callWith(once, 'createVm', { body: { plan: plan.code, ...wish } })
        : callWith(once, 'createCustomVm', { body: { ...draft.size, ...wish } });
    },
    onSuccess: async ({ vm, initial_password }) => {
      onError(null);
      await client.invalidateQueries({ queryKey: ['machines'] });
      await client.invalidateQueries({ queryKey: ['listVms'] });
      await client.invalidateQueries({ queryKey: ['getWallet'] });
      if (initial_password) setSecret({ id: vm.id, password: initial_password });
      else go(vm.id);
    },
    onError,
  });
  const user = catalog.templates.find(({ code }) => code === draft.template)?.default_user ?? 'root';
  return Object.assign(mutation, { secret, user, go });
}

const isBilledByTheHour = ({ billing }: Draft, plan: Plan | undefined) =>
  billing === 'hourly' && plan !== undefined && plan.billing_modes.includes('hourly');

/** The generated password of a machine without SSH keys; shown once. */
function Secret({ buy: { secret, user, go } }: { buy: ReturnType<typeof useBuy> }) {
  const t = useTexts(createTexts);
  return (
    <Dialog
      title={t.passwordTitle}
      isOpen={secret !== undefined}
      isKept
      onClose={() => {}}
      footer={
        <Button look="main" onPress={() => secret && go(secret.id)}>
          {t.haveIt}
        </Button>
      }
    >
      <Notice kind="warn">{t.passwordOnce(user)}</Notice>
      <CodeBlock what={t.password}>{secret?.password ?? ''}</CodeBlock>
    </Dialog>
  );
}
