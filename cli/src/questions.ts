import type { Plan, PlanQuote } from '../../sdk/src/index.ts';
import type { Call, Question } from './command.ts';
import { EXIT, Failure } from './failure.ts';
import { money, valueText } from './output/values.ts';
import type { Session } from './session.ts';

/**
 * Questions before something that costs money or destroys data. Each shows the consequences as the service calculates
 * them.
 */

/** Before buying a VM: shows its price and limits the charge to it. */
export async function purchase({ client }: Session, { input }: Call): Promise<Question> {
  const [{ plans, currency, net_prices }, wallet] = await Promise.all([
    client.catalog.get(),
    client.billing.wallet(),
  ]);
  const plan = plans.find(({ code }) => code === input.plan);
  if (!plan)
    throw new Failure(
      EXIT.refused,
      `There is no plan "${input.plan}". There are: ${plans.map(({ code }) => code).join(', ')}.`,
    );
  if (input.billing === 'hourly' && plan.price_hourly === null)
    throw new Failure(EXIT.refused, `The plan "${plan.code}" is not sold by the hour.`);
  const price = money(plan.price_monthly_minor, currency);
  const isHourly = input.billing === 'hourly';
  return {
    lines: [
      `${plan.name}: ${plan.vcpu} vCPU, ${plan.ram_mb} MB, ${plan.disk_gb} GB`,
      isHourly
        ? `${plan.price_hourly} ${currency} per hour; at most ${price} is paid in advance, and the unused part is refunded.`
        : `${price} per month, paid in advance.`,
      ...(net_prices ? [netPrice(plan, currency)] : []),
      `Available: ${money(wallet.available_minor, currency)}`,
    ],
    ask: `Buy ${input.hostname}?`,
    bind: { max_charge_minor: plan.price_monthly_minor },
  };
}

function netPrice({ price_monthly_minor: price, price_monthly_net_minor: net }: Plan, currency: string) {
  if (net === price) return 'No tax is due.';
  return `A month costs ${money(net, currency)} net plus ${money(price - net, currency)} tax.`;
}

/** Before changing a VM's plan or size: shows the lines of the quote. */
export async function changeOfSize({ client }: Session, { ids, input }: Call): Promise<Question> {
  const { plan, resize_disk, vcpu, ram_mb, disk_gb } = input;
  const quote: PlanQuote = await client.vms.planQuote(ids[0]!, {
    plan,
    resize_disk,
    vcpu,
    ram_mb,
    disk_gb,
  } as object);
  const { currency, net_minor: net, lines } = quote;
  const comesTo = net < 0 ? `Refunded: ${money(-net, currency)}` : `Charged now: ${money(net, currency)}`;
  return {
    lines: [
      ...lines.map(({ description, amount_minor }) => `${description}: ${money(amount_minor, currency)}`),
      `${comesTo}; available: ${money(quote.balance_available_minor, currency)}`,
      ...(quote.requires_reboot ? ['The VM will be rebooted.'] : []),
      ...quote.blockers.map(({ message }) => `Not possible now: ${message}`),
    ],
    ask: 'Change it?',
    bind: { max_charge_minor: Math.max(0, net) },
  };
}

/** Before deleting a VM: shows the refund and what is lost. */
export async function lossOfVm({ client }: Session, vmId: string): Promise<Question> {
  const [vm, preview] = await Promise.all([client.vms.get(vmId), client.vms.deletePreview(vmId)]);
  const { currency, refund_minor: refund, charged_minor: charged, data_lost, blockers } = preview;
  const { refund_promo_minor: promo, refund_promo_expires_at: until } = preview;
  return {
    lines: [
      ...data_lost.map(({ type, name }) => `Lost: ${valueText('type', type)} ${name}`),
      `Refunded: ${money(refund, currency)}`,
      ...(until ? [`Part of it as promotional credit, until ${until}: ${money(promo, currency)}`] : []),
      ...(charged > 0 ? [`Charged for usage: ${money(charged, currency)}`] : []),
      ...blockers.map(({ message }) => `Not possible now: ${message}`),
    ],
    ask: `Delete ${vm.hostname} (${vm.id}) and all its data?`,
  };
}

/** Before deleting a part of a VM. */
export async function deletion(_: Session, ask: string, ids: string[]): Promise<Question> {
  return { lines: [ids.at(-1)!], ask };
}
