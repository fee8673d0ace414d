import { instant } from '../content.ts';
import { about, amountOf } from './vms.ts';

const TOP_UP = '/billing/top-up';

export const debtDue = about(
  {
    en: {
      subject: (what) => `About to be switched off: ${what}`,
      text: (what, account) =>
        `${account} owes money for payments that were taken back or for the use of deleted machines. Unless it is paid, ${what} will be switched off. The data is kept.`,
      fact: (vm) => `${amountOf(vm, 'en')} owed; switched off on ${instant(vm.at!, 'en')}`,
      action: 'Top up',
    },
    de: {
      subject: (what) => `Wird bald abgeschaltet: ${what}`,
      text: (what, account) =>
        `${account} schuldet Geld für zurückgeholte Zahlungen oder den Verbrauch gelöschter Maschinen. Ohne Zahlung wird Folgendes abgeschaltet: ${what}. Die Daten bleiben erhalten.`,
      fact: (vm) => `${amountOf(vm, 'de')} geschuldet; Abschaltung am ${instant(vm.at!, 'de')}`,
      action: 'Guthaben aufladen',
    },
  },
  TOP_UP,
);

export const debtSuspended = about(
  {
    en: {
      subject: (what) => `Switched off: ${what}`,
      text: (what, account) =>
        `${what} of ${account} was switched off because the account owes money. Its data is still there: pay the debt, and it comes back.`,
      fact: () => 'switched off',
      action: 'Top up',
    },
    de: {
      subject: (what) => `Abgeschaltet: ${what}`,
      text: (what, account) =>
        `${what} (${account}) wurde abgeschaltet, weil das Konto Geld schuldet. Die Daten sind noch da: Bezahlen Sie die Schuld, dann geht es weiter.`,
      fact: () => 'abgeschaltet',
      action: 'Guthaben aufladen',
    },
  },
  TOP_UP,
);
