import { type Content, type Context, instant, type Locale, money, type Template } from '../content.ts';

/** The values about one VM in a mail; each mail uses some of them. */
export interface VmNotice {
  hostname: string;
  currency?: string;
  /** The amount due, and how much of it the wallet is short, in minor units. */
  amountMinor?: number;
  lackingMinor?: number;
  /** The current monthly price, in minor units. */
  oldMinor?: number;
  plan?: string;
  /** The current limit for sending and receiving; 0 if the network is stopped. */
  throttleMbps?: number;
  /** An attack's vectors, its peak rate, and when it began (ISO 8601). */
  vectors?: string[];
  peakMbps?: number;
  since?: string;
  /** When the event happens, and when its consequence follows (ISO 8601). */
  at?: string;
  thenAt?: string;
}

/** Simultaneous notices about VMs of an account share one mail. */
export interface VmNotices {
  account: string;
  vms: VmNotice[];
  /** Number of VMs beyond the listed ones. */
  more?: number;
}

/** VMs listed in a mail; no one would read a longer list. */
export const MAX_LISTED = 50;

interface Wording {
  subject: (what: string) => string;
  /** `many`: whether `what` is a number of machines and not a name. */
  text: (what: string, account: string, many: boolean) => string;
  fact: (vm: VmNotice) => string;
  action: string;
}

/** Returns the template for a mail about VMs, with a link to the page where its reader can act. */
export function about(wordings: Record<Locale, Wording>, path: string): Template<VmNotices> {
  const content =
    (locale: Locale) =>
    ({ account, vms, more = 0 }: VmNotices, { panelUrl }: Context): Content => {
      const { subject, text, fact, action } = wordings[locale];
      const count = vms.length + more;
      const what = count === 1 ? vms[0]!.hostname : VMS[locale](count);
      return {
        subject: subject(what),
        paragraphs: [text(what, account, count > 1)],
        facts: [
          ...vms.map((vm) => [vm.hostname, fact(vm)] as const),
          ...(more > 0 ? [['…', MORE[locale](more)] as const] : []),
        ],
        action: { label: action, url: `${panelUrl}${path}` },
      };
    };
  return { en: content('en'), de: content('de') };
}

const VMS = { en: (count: number) => `${count} machines`, de: (count: number) => `${count} Maschinen` };
const MORE = { en: (count: number) => `and ${count} more`, de: (count: number) => `und ${count} weitere` };

export const TOP_UP = '/billing/top-up';
export const MACHINES = '/machines';

export const amountOf = ({ amountMinor = 0, currency = 'EUR' }: VmNotice, locale: Locale) =>
  money(amountMinor, currency, locale);
const amount = amountOf;
const lacking = ({ lackingMinor = 0, currency = 'EUR' }: VmNotice, locale: Locale) =>
  money(lackingMinor, currency, locale);
const when = (iso: string | undefined, locale: Locale) => (iso === undefined ? '' : instant(iso, locale));

export const renewalDue = about(
  {
    en: {
      subject: (what) => `Top up to renew ${what}`,
      text: (what, account) =>
        `The wallet of ${account} does not cover the next renewal of ${what}. Top up in time, and it will renew automatically.`,
      fact: (vm) => `${amount(vm, 'en')} on ${when(vm.at, 'en')}; you are ${lacking(vm, 'en')} short`,
      action: 'Top up',
    },
    de: {
      subject: (what) => `Guthaben aufladen: Verlängerung von ${what}`,
      text: (what, account) =>
        `Das Guthaben von ${account} reicht nicht für die nächste Verlängerung von ${what}. Laden Sie es rechtzeitig auf, dann wird automatisch verlängert.`,
      fact: (vm) => `${amount(vm, 'de')} am ${when(vm.at, 'de')}; es fehlen ${lacking(vm, 'de')}`,
      action: 'Guthaben aufladen',
    },
  },
  TOP_UP,
);

export const unpaid = about(
  {
    en: {
      subject: (what) => `Unpaid: ${what}`,
      text: (what, account) =>
        `The wallet of ${account} did not cover the renewal of ${what}. Unless you top up, the unpaid machines will be switched off.`,
      fact: (vm) =>
        `${amount(vm, 'en')} due, you are ${lacking(vm, 'en')} short; will be switched off on ${when(vm.at, 'en')}`,
      action: 'Top up',
    },
    de: {
      subject: (what) => `Nicht bezahlt: ${what}`,
      text: (what, account) =>
        `Das Guthaben von ${account} reichte nicht für die Verlängerung von ${what}. Wenn Sie kein Guthaben aufladen, werden die unbezahlten Maschinen abgeschaltet.`,
      fact: (vm) =>
        `${amount(vm, 'de')} fällig, ${lacking(vm, 'de')} fehlen; Abschaltung am ${when(vm.at, 'de')}`,
      action: 'Guthaben aufladen',
    },
  },
  TOP_UP,
);

export const ended = about(
  {
    en: {
      subject: (what) => `Paid period ended: ${what}`,
      text: (what, account, many) =>
        `The paid period of ${what} of ${account} has ended and will not be renewed. ${many ? 'They are' : 'It is'} being switched off now. The data is kept for a while.`,
      fact: (vm) => `will be deleted with its data on ${when(vm.thenAt, 'en')}`,
      action: 'Go to the machines',
    },
    de: {
      subject: (what) => `Der bezahlte Zeitraum ist vorbei: ${what}`,
      text: (what, account) =>
        `Der bezahlte Zeitraum von ${what} (${account}) ist vorbei und wird nicht verlängert. Jetzt wird abgeschaltet; die Daten bleiben noch eine Weile erhalten.`,
      fact: (vm) => `Löschung mit allen Daten am ${when(vm.thenAt, 'de')}`,
      action: 'Zu den Maschinen',
    },
  },
  MACHINES,
);

export const suspended = about(
  {
    en: {
      subject: (what) => `Switched off: ${what}`,
      text: (what, account, many) =>
        `${what} of ${account} ${many ? 'were switched off because they are' : 'was switched off because it is'} unpaid. The data is kept. Top up to switch ${many ? 'them' : 'it'} on again.`,
      fact: (vm) => `will be deleted with its data on ${when(vm.thenAt, 'en')}`,
      action: 'Top up',
    },
    de: {
      subject: (what) => `Abgeschaltet: ${what}`,
      text: (what, account, many) =>
        `${what} (${account}) ${many ? 'wurden' : 'wurde'} abgeschaltet, weil nicht bezahlt ist. Die Daten bleiben erhalten. Sobald Sie Guthaben aufladen, wird wieder eingeschaltet.`,
      fact: (vm) => `Löschung mit allen Daten am ${when(vm.thenAt, 'de')}`,
      action: 'Guthaben aufladen',
    },
  },
  TOP_UP,
);

export const deletionDue = about(
  {
    en: {
      subject: (what) => `Will be deleted soon: ${what}`,
      text: (what, account, many) =>
        `${what} of ${account} ${many ? 'are' : 'is'} unpaid and will soon be permanently deleted, with all data. To keep ${many ? 'them' : 'it'}, top up before then.`,
      fact: (vm) => `${amount(vm, 'en')} due; will be deleted on ${when(vm.thenAt, 'en')}`,
      action: 'Top up',
    },
    de: {
      subject: (what) => `Wird bald gelöscht: ${what}`,
      text: (what, account, many) =>
        `${what} (${account}) ${many ? 'sind' : 'ist'} nicht bezahlt und ${many ? 'werden' : 'wird'} bald mit allen Daten endgültig gelöscht. Um das zu vermeiden, laden Sie vorher Guthaben auf.`,
      fact: (vm) => `${amount(vm, 'de')} fällig; Löschung am ${when(vm.thenAt, 'de')}`,
      action: 'Guthaben aufladen',
    },
  },
  TOP_UP,
);

export const planRetires = about(
  {
    en: {
      subject: (what) => `Plan retired: ${what}`,
      text: (what, account, many) =>
        many
          ? `The plans of ${what} of ${account} are being retired: the machines will not be renewed at the end of their periods but switched off. To keep them, change their plans before then.`
          : `The plan of ${what} of ${account} is being retired: the machine will not be renewed at the end of its period but switched off. To keep it, change its plan before then.`,
      fact: (vm) => `plan ${vm.plan ?? ''}, until ${when(vm.at, 'en')}`,
      action: 'Go to the machines',
    },
    de: {
      subject: (what) => `Tarif wird eingestellt: ${what}`,
      text: (what, account) =>
        `Der Tarif von ${what} (${account}) wird eingestellt: Am Ende des Zeitraums wird nicht verlängert, sondern abgeschaltet. Um das zu vermeiden, wechseln Sie vorher den Tarif.`,
      fact: (vm) => `Tarif ${vm.plan ?? ''}, bis ${when(vm.at, 'de')}`,
      action: 'Zu den Maschinen',
    },
  },
  MACHINES,
);

const old = ({ oldMinor = 0, currency = 'EUR' }: VmNotice, locale: Locale) =>
  money(oldMinor, currency, locale);

export const priceChange = about(
  {
    en: {
      subject: (what) => `New price: ${what}`,
      text: (what, account) => `The price of ${what} of ${account} will change with an upcoming renewal.`,
      fact: (vm) => `${amount(vm, 'en')} per month instead of ${old(vm, 'en')}, from ${when(vm.at, 'en')}`,
      action: 'Go to the machines',
    },
    de: {
      subject: (what) => `Neuer Preis: ${what}`,
      text: (what, account) =>
        `Der Preis von ${what} (${account}) ändert sich mit einer der nächsten Verlängerungen.`,
      fact: (vm) => `${amount(vm, 'de')} im Monat statt ${old(vm, 'de')}, ab ${when(vm.at, 'de')}`,
      action: 'Zu den Maschinen',
    },
  },
  MACHINES,
);
