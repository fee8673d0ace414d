import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { printJson } from '../output.ts';
import { printImages } from '../print-images.ts';

export function addImageList(parent: Command): void {
  parent
    .command('list')
    .description('list the images, by name')
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const images = await client.get('/images');
      if (json) printJson(images);
      else printImages(images);
    });
}
