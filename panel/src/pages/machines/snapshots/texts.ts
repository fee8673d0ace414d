import { defineTexts } from '../../../texts.ts';

export const snapshotTexts = defineTexts(
  {
    title: 'Snapshots',
    are: 'The state of the disk at one moment. Snapshots are stored on the same host as the machine and are deleted with it, so they do not replace a backup.',
    take: 'Take snapshot',
    takeMeans:
      'The machine keeps running. Data that programs hold in memory is not included; if that matters, for example for a database, stop them first.',
    name: 'Name',
    namePlaceholder: 'such as before-upgrade',
    description: 'Description',
    state: 'State',
    taken: 'Taken',
    size: 'Size',
    creating: 'Being taken',
    available: 'Ready',
    deleting: 'Being deleted',
    error: 'Failed',
    restore: 'Restore',
    restoreTitle: (name: string) => `Restore ${name}?`,
    restoreLoses: 'The disk returns to its state of',
    restoreKeeps:
      'Everything written since then is lost. Addresses, firewall and all other snapshots stay. A running machine is switched off and then on again.',
    deleteOne: (name: string) => `Delete ${name}`,
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteMeans:
      'You will no longer be able to restore this state. The machine and its other snapshots stay as they are.',
    noneTitle: 'No snapshots yet',
    none: 'Take one before an upgrade, so that you can go back within moments.',
  },
  {
    title: 'Snapshots',
    are: 'Der Zustand der Festplatte in einem Augenblick. Snapshots liegen auf demselben Host wie die Maschine und werden mit ihr gelöscht; ein Backup ersetzen sie nicht.',
    take: 'Snapshot erstellen',
    takeMeans:
      'Die Maschine läuft weiter. Daten, die Programme im Arbeitsspeicher halten, sind nicht enthalten; halten Sie etwa eine Datenbank vorher an, wenn es darauf ankommt.',
    name: 'Name',
    namePlaceholder: 'etwa vor-dem-upgrade',
    description: 'Beschreibung',
    state: 'Zustand',
    taken: 'Erstellt',
    size: 'Größe',
    creating: 'Wird erstellt',
    available: 'Bereit',
    deleting: 'Wird gelöscht',
    error: 'Fehlgeschlagen',
    restore: 'Wiederherstellen',
    restoreTitle: (name: string) => `${name} wiederherstellen?`,
    restoreLoses: 'Die Festplatte erhält wieder den Stand vom',
    restoreKeeps:
      'Alles seither Geschriebene ist verloren. Adressen, Firewall und die anderen Snapshots bleiben. Eine laufende Maschine wird dafür aus- und wieder eingeschaltet.',
    deleteOne: (name: string) => `${name} löschen`,
    deleteTitle: (name: string) => `${name} löschen?`,
    deleteMeans:
      'Dieser Stand lässt sich danach nicht mehr wiederherstellen. Die Maschine und ihre anderen Snapshots bleiben.',
    noneTitle: 'Noch keine Snapshots',
    none: 'Erstellen Sie einen vor einem Upgrade, dann können Sie in Sekunden zurück.',
  },
);
