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
  text: (what: string, account: string) => string;
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
        paragraphs: [text(what, account)],
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
        `The wallet of ${account} does not cover the next renewal of ${what}. Top it up in time, and everything goes on by itself.`,
      fact: (vm) => `${amount(vm, 'en')} on ${when(vm.at, 'en')}; ${lacking(vm, 'en')} are lacking`,
      action: 'Top up',
    },
    de: {
      subject: (what) => `Guthaben aufladen: Verlängerung von ${what}`,
      text: (what, account) =>
        `Das Guthaben von ${account} reicht nicht für die nächste Verlängerung von ${what}. Laden Sie es rechtzeitig auf, dann läuft alles von selbst weiter.`,
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
        `The wallet of ${account} did not cover the renewal of ${what}. Unless it is topped up, what is unpaid is switched off.`,
      fact: (vm) =>
        `${amount(vm, 'en')} due, ${lacking(vm, 'en')} lacking; switched off on ${when(vm.at, 'en')}`,
      action: 'Top up',
    },
    de: {
      subject: (what) => `Nicht bezahlt: ${what}`,
      text: (what, account) =>
        `Das Guthaben von ${account} reichte nicht für die Verlängerung von ${what}. Ohne Aufladung wird Unbezahltes abgeschaltet.`,
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
      subject: (what) => `The paid period is over: ${what}`,
      text: (what, account) =>
        `The paid period of ${what} of ${account} is over, and it is not to be renewed: it is switched off now, and its data is kept for a while.`,
      fact: (vm) => `deleted with its data on ${when(vm.thenAt, 'en')}`,
      action: 'Go to the machines',
    },
    de: {
      subject: (what) => `Der bezahlte Zeitraum ist vorbei: ${what}`,
      text: (what, account) =>
        `Der bezahlte Zeitraum von ${what} (${account}) ist vorbei und wird nicht verlängert: Es wird jetzt abgeschaltet, die Daten bleiben noch eine Weile.`,
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
      text: (what, account) =>
        `${what} of ${account} was switched off because it is not paid. Its data is still there: top up, and it comes back.`,
      fact: (vm) => `deleted with its data on ${when(vm.thenAt, 'en')}`,
      action: 'Top up',
    },
    de: {
      subject: (what) => `Abgeschaltet: ${what}`,
      text: (what, account) =>
        `${what} (${account}) wurde abgeschaltet, weil nicht bezahlt ist. Die Daten sind noch da: Laden Sie Guthaben auf, dann geht es weiter.`,
      fact: (vm) => `Löschung mit allen Daten am ${when(vm.thenAt, 'de')}`,
      action: 'Guthaben aufladen',
    },
  },
  TOP_UP,
);

export const deletionDue = about(
  {
    en: {
      subject: (what) => `About to be deleted: ${what}`,
      text: (what, account) =>
        `${what} of ${account} is unpaid and is about to be permanently deleted with its data. To keep it, top up before that.`,
      fact: (vm) => `${amount(vm, 'en')} due; deleted on ${when(vm.thenAt, 'en')}`,
      action: 'Top up',
    },
    de: {
      subject: (what) => `Wird bald gelöscht: ${what}`,
      text: (what, account) =>
        `${what} (${account}) ist nicht bezahlt und wird bald mit allen Daten endgültig gelöscht. Wenn Sie das nicht wollen, laden Sie vorher Guthaben auf.`,
      fact: (vm) => `${amount(vm, 'de')} fällig; Löschung am ${when(vm.thenAt, 'de')}`,
      action: 'Guthaben aufladen',
    },
  },
  TOP_UP,
);

export const planRetires = about(
  {
    en: {
      subject: (what) => `Its plan is retired: ${what}`,
      text: (what, account) =>
        `The plan of ${what} of ${account} is retired: it is not renewed any more, and is switched off then. To keep it, change its plan before that.`,
      fact: (vm) => `plan ${vm.plan ?? ''}, until ${when(vm.at, 'en')}`,
      action: 'Go to the machines',
    },
    de: {
      subject: (what) => `Tarif wird eingestellt: ${what}`,
      text: (what, account) =>
        `Der Tarif von ${what} (${account}) wird eingestellt: Es wird nicht mehr verlängert und dann abgeschaltet. Wenn Sie es behalten möchten, wechseln Sie vorher den Tarif.`,
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
      subject: (what) => `A new price: ${what}`,
      text: (what, account) => `The price of ${what} of ${account} changes with a renewal to come.`,
      fact: (vm) => `${amount(vm, 'en')} a month instead of ${old(vm, 'en')}, from ${when(vm.at, 'en')} on`,
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
