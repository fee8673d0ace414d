import { defineTexts } from '../../../texts.ts';

export const snapshotTexts = defineTexts(
  {
    title: 'Snapshots',
    are: 'What the disk was at a moment. They stay on the same host as the machine and go with it: they are no backup.',
    take: 'Take a snapshot',
    takeMeans:
      'The machine stays up. What its programs have in memory is not in it; for a database that is strict, stop it first.',
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
    restoreLoses: 'The disk goes back to what it was on',
    restoreKeeps:
      'Everything written since then is lost. Addresses, firewall and the other snapshots stay. A machine that runs is switched off for it, and on again.',
    deleteOne: (name: string) => `Delete ${name}`,
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteMeans:
      'There is no going back to that moment afterwards. The machine and its other snapshots stay as they are.',
    noneTitle: 'No snapshots yet',
    none: 'Take one before an upgrade: going back takes moments.',
  },
  {
    title: 'Snapshots',
    are: 'Was die Platte in einem Augenblick war. Sie liegen auf demselben Host wie die Maschine und gehen mit ihr: ein Backup sind sie nicht.',
    take: 'Snapshot erstellen',
    takeMeans:
      'Die Maschine läuft weiter. Was ihre Programme im Speicher haben, ist nicht dabei; eine strenge Datenbank halten Sie vorher an.',
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
    restore: 'Zurückspielen',
    restoreTitle: (name: string) => `${name} zurückspielen?`,
    restoreLoses: 'Die Platte wird wieder, was sie war am',
    restoreKeeps:
      'Alles seither Geschriebene ist verloren. Adressen, Firewall und die anderen Snapshots bleiben. Eine laufende Maschine wird dafür aus- und wieder eingeschaltet.',
    deleteOne: (name: string) => `${name} löschen`,
    deleteTitle: (name: string) => `${name} löschen?`,
    deleteMeans:
      'Zu diesem Augenblick führt danach kein Weg zurück. Die Maschine und ihre anderen Snapshots bleiben.',
    noneTitle: 'Noch keine Snapshots',
    none: 'Erstellen Sie einen vor einem Upgrade: der Rückweg dauert Augenblicke.',
  },
);
