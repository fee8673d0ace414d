import { defineTexts } from '../../texts.ts';

export const keyTexts = defineTexts(
  {
    title: 'SSH keys',
    add: 'Add a key',
    name: 'Name',
    algorithm: 'Kind',
    fingerprint: 'Fingerprint',
    added: 'Added',
    publicKey: 'Public key',
    keyHint:
      'What is in ~/.ssh/id_ed25519.pub. Never the file without .pub: that one is secret, and refused.',
    exists: 'This key is stored already, perhaps under another name.',
    isAdded: 'The key is stored',
    deleteOne: (name: string) => `Delete ${name}`,
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteMeans:
      'New machines can no longer be given it. Machines that have it keep it: take it away there if it was lost.',
    noneTitle: 'No SSH keys yet',
    none: 'Store your public key once, and every new machine lets you in without a password.',
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
      'Was in ~/.ssh/id_ed25519.pub steht. Nie die Datei ohne .pub: die ist geheim und wird abgelehnt.',
    exists: 'Dieser Schlüssel ist schon hinterlegt, vielleicht unter anderem Namen.',
    isAdded: 'Der Schlüssel ist hinterlegt',
    deleteOne: (name: string) => `${name} löschen`,
    deleteTitle: (name: string) => `${name} löschen?`,
    deleteMeans:
      'Neue Maschinen können ihn nicht mehr bekommen. Maschinen, die ihn haben, behalten ihn: nehmen Sie ihn dort weg, wenn er verloren ging.',
    noneTitle: 'Noch keine SSH-Schlüssel',
    none: 'Hinterlegen Sie Ihren öffentlichen Schlüssel einmal, dann lässt jede neue Maschine Sie ohne Passwort ein.',
  },
);
