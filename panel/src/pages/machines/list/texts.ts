import { defineTexts } from '../../../texts.ts';

export const listTexts = defineTexts(
  {
    title: 'Machines',
    create: 'Create machine',
    count: (shown: number, all: number, complete: boolean) =>
      `${shown === all ? all : `${shown} of ${all}`}${complete ? '' : ', loading more'}`,
    emptyTitle: 'No machines yet',
    empty:
      'A machine is running within a minute. It is paid from the wallet for a month in advance. When you delete it, the unused part of the month is refunded.',
    noneTitle: 'No matching machines',
    none: 'The search covers names, notes, addresses, plans and IDs.',
    name: 'Name',
    state: 'State',
    plan: 'Plan',
    region: 'Region',
    cpu: 'CPU, last hour',
    price: 'Price per month',
    off: 'off',
    noCpu: 'Processor: no data yet',
    cpuNow: (value: string) => `Processor: currently ${value}`,
    shield: 'Shield',
    attacked: 'Under attack',
    mitigated: 'Attack, mitigated',
    keptUntil: 'Unpaid, kept until',
    suspendsOn: 'Unpaid, off from',
    total: (price: string) => `The machines listed cost ${price} per month.`,
    allRenew: 'All of them renew automatically from the wallet.',
    someRenew: 'Some of them do not renew automatically.',
    search: 'Search by name, address, note or plan',
    anyState: 'Any state',
    anyRegion: 'Any region',
    chosen: (count: number) => `${count} selected`,
    chooseNone: 'Clear selection',
    asked: (count: number, action: string) =>
      `${action}: requested for ${count === 1 ? '1 machine' : `${count} machines`}`,
    someFailed: 'The request failed for some machines',
    askTitle: (action: string, count: number) =>
      `${action} ${count === 1 ? '1 machine' : `${count} machines`}?`,
    stopMeans: 'Each machine has one minute to shut down. Everything that runs on it stops.',
    rebootMeans:
      'Each machine shuts down and starts again. Everything that runs on it is unavailable in the meantime.',
    'force-stopMeans': 'The power is cut at once. Data that has not been written to disk is lost.',
  },
  {
    title: 'Maschinen',
    create: 'Maschine anlegen',
    count: (shown: number, all: number, complete: boolean) =>
      `${shown === all ? all : `${shown} von ${all}`}${complete ? '' : ', weitere werden geladen'}`,
    emptyTitle: 'Noch keine Maschinen',
    empty:
      'Eine Maschine läuft innerhalb einer Minute. Bezahlt wird sie aus dem Guthaben für einen Monat im Voraus. Wenn Sie sie löschen, wird der ungenutzte Teil des Monats erstattet.',
    noneTitle: 'Keine passenden Maschinen',
    none: 'Gesucht wird in Namen, Notizen, Adressen, Tarifen und IDs.',
    name: 'Name',
    state: 'Zustand',
    plan: 'Tarif',
    region: 'Region',
    cpu: 'CPU, letzte Stunde',
    price: 'Preis im Monat',
    off: 'aus',
    noCpu: 'Prozessor: noch keine Daten',
    cpuNow: (value: string) => `Prozessor: derzeit ${value}`,
    shield: 'Shield',
    attacked: 'Unter Angriff',
    mitigated: 'Angriff, abgewehrt',
    keptUntil: 'Unbezahlt, bleibt bis',
    suspendsOn: 'Unbezahlt, aus ab',
    total: (price: string) => `Die aufgeführten Maschinen kosten ${price} im Monat.`,
    allRenew: 'Alle verlängern sich automatisch aus dem Guthaben.',
    someRenew: 'Einige davon verlängern sich nicht automatisch.',
    search: 'Nach Name, Adresse, Notiz oder Tarif suchen',
    anyState: 'Jeder Zustand',
    anyRegion: 'Jede Region',
    chosen: (count: number) => `${count} ausgewählt`,
    chooseNone: 'Auswahl aufheben',
    asked: (count: number, action: string) =>
      `${action}: für ${count === 1 ? '1 Maschine' : `${count} Maschinen`} angefordert`,
    someFailed: 'Bei einigen Maschinen hat das nicht geklappt',
    askTitle: (action: string, count: number) =>
      `${count === 1 ? '1 Maschine' : `${count} Maschinen`}: ${action}?`,
    stopMeans:
      'Jede Maschine hat eine Minute Zeit zum Herunterfahren. Alles, was auf ihr läuft, wird beendet.',
    rebootMeans:
      'Jede Maschine fährt herunter und startet wieder. Alles, was auf ihr läuft, ist solange nicht erreichbar.',
    'force-stopMeans':
      'Der Strom wird sofort getrennt. Daten, die noch nicht auf der Festplatte stehen, gehen verloren.',
  },
);
