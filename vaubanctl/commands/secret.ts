import { group, plain } from '../command.ts';
import { note, print } from '../output.ts';

const rotate = plain('rotate', 'rotateSecrets', {
  about:
    'reseal all secrets with the first installation key, so that the others can be removed; safe to repeat',
  isLong: true,
  isBad: ({ unreadable }) => unreadable > 0,
  print: ({ key_id, resealed, unchanged, unreadable }) => {
    print(`Sealed with the key ${key_id}: ${resealed} resealed, ${unchanged} unchanged.`);
    if (unreadable === 0) print('The other keys are no longer needed.');
    else note(`vaubanctl: ${unreadable} could not be opened: their key is not configured`);
  },
});

export const secret = group('secret', 'the keys that seal secrets in the database', rotate);
