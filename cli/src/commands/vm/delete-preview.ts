import { command } from '../../command.ts';

export const getDeletePreview = command('getDeletePreview', {
  example: 'vauban vm delete-preview web-1',
});
