import { defineTexts } from '../../texts.ts';

export const keyTexts = defineTexts(
  {
    title: 'SSH keys',
    add: 'Add key',
    name: 'Name',
    algorithm: 'Type',
    fingerprint: 'Fingerprint',
    added: 'Added',
    publicKey: 'Public key',
    keyHint:
      'The content of ~/.ssh/id_ed25519.pub. Never use the file without .pub: it is secret and will be refused.',
    exists: 'This key is already stored, perhaps under another name.',
    isAdded: 'Key stored',
    deleteOne: (name: string) => `Delete ${name}`,
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteMeans:
      'It can no longer be added to new machines. Machines that have it keep it: if the key was lost or stolen, remove it there.',
    noneTitle: 'No SSH keys yet',
    none: 'Store your public key once, then log in to every new machine without a password.',
  },
  {
    title: 'SSH-Schlüssel',
    add: 'Schlüssel hinzufügen',
    name: 'Name',
    algorithm: 'Art',
    fingerprint: 'Fingerabdruck',
    added: 'Hinzugefügt',
    publicKey: 'Öffentlicher Schlüssel',
    keyHint:
      'Der Inhalt von ~/.ssh/id_ed25519.pub. Verwenden Sie nie die Datei ohne .pub: Sie ist geheim und wird abgelehnt.',
    exists: 'Dieser Schlüssel ist schon hinterlegt, vielleicht unter anderem Namen.',
    isAdded: 'Schlüssel hinterlegt',
    deleteOne: (name: string) => `${name} löschen`,
    deleteTitle: (name: string) => `${name} löschen?`,
    deleteMeans:
      'Neuen Maschinen kann er nicht mehr hinzugefügt werden. Maschinen, die ihn haben, behalten ihn: Entfernen Sie ihn dort, wenn er verloren ging oder gestohlen wurde.',
    noneTitle: 'Noch keine SSH-Schlüssel',
    none: 'Hinterlegen Sie Ihren öffentlichen Schlüssel einmal, dann melden Sie sich an jeder neuen Maschine ohne Passwort an.',
  },
);
