import { instant } from '../content.ts';
import { about, amountOf } from './vms.ts';

const TOP_UP = '/billing/top-up';

export const debtDue = about(
  {
    en: {
      subject: (what) => `Will be switched off soon: ${what}`,
      text: (what, account) =>
        `${account} owes money for reversed payments or for the usage of deleted machines. Unless you pay, ${what} will be switched off. The data is kept.`,
      fact: (vm) => `${amountOf(vm, 'en')} owed; switched off on ${instant(vm.at!, 'en')}`,
      action: 'Top up',
    },
    de: {
      subject: (what) => `Wird bald abgeschaltet: ${what}`,
      text: (what, account) =>
        `${account} schuldet Geld für zurückgebuchte Zahlungen oder den Verbrauch gelöschter Maschinen. Ohne Zahlung wird Folgendes abgeschaltet: ${what}. Die Daten bleiben erhalten.`,
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
      text: (what, account, many) =>
        `${what} of ${account} ${many ? 'were' : 'was'} switched off because the account owes money. The data is kept. Pay the debt to switch ${many ? 'them' : 'it'} on again.`,
      fact: () => 'switched off',
      action: 'Top up',
    },
    de: {
      subject: (what) => `Abgeschaltet: ${what}`,
      text: (what, account, many) =>
        `${what} (${account}) ${many ? 'wurden' : 'wurde'} abgeschaltet, weil das Konto Geld schuldet. Die Daten bleiben erhalten. Sobald Sie die Schuld bezahlt haben, wird wieder eingeschaltet.`,
      fact: () => 'abgeschaltet',
      action: 'Guthaben aufladen',
    },
  },
  TOP_UP,
);
