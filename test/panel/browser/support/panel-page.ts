import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import type { Service } from '../../../support/service.ts';
import { REPOSITORY } from '../../../support/source.ts';

const PANEL = join(REPOSITORY, 'panel');
/** The build output that browsers load. */
export const ASSETS = join(PANEL, 'dist/assets');

/** Builds the panel if its sources have changed since the last build. */
export async function buildIfChanged(): Promise<void> {
  const built = statSync(join(PANEL, 'dist/index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newest = Math.max(
    ...[join(PANEL, 'src'), join(REPOSITORY, 'shared')].flatMap((directory) =>
      readdirSync(directory, { recursive: true, encoding: 'utf8' }).map(
        (name) => statSync(join(directory, name)).mtimeMs,
      ),
    ),
  );
  if (newest > built) await promisify(execFile)(process.execPath, [join(PANEL, 'build.ts')]);
}

/** Signs in with a one-time link and the button of its page; ends at the home page. */
export async function signInWithLink(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((at) => !at.pathname.endsWith('/sign-in/link'));
}

/** Returns the demo account's sign-in link, printed at the first start; it works once. */
export function demoLink({ output }: Service): string {
  const [link] = /\/panel\/sign-in\/link#[\w-]+/.exec(output()) ?? [];
  assert.ok(link, 'the first start prints a link');
  return link;
}
