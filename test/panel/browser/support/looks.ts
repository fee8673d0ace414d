import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { COLOURS, type Rules, violations } from '../../../support/axe.ts';
import { visit } from './world.ts';

/** The width of a desktop and of the narrowest phone, in pixels. */
const WIDTHS = [1440, 320];
const THEMES = ['light', 'dark'] as const;
/** The number of polls of a page that is still loading, and the interval between them. */
const LOOKS = 20;
const LOOK_EVERY_MS = 100;
/** The directory for screenshots of all pages, if set. */
const { VAUBAN_TEST_SCREENSHOTS: PICTURES } = process.env;

/**
 * Checks a page at both widths and in both themes: axe must find nothing, nothing may be wider than the window, and
 * every control must be reachable with the Tab key.
 */
export async function looksRight(page: Page, url: string, name: string): Promise<void> {
  await page.setViewportSize({ width: WIDTHS[0]!, height: 900 });
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    const isFirst = theme === THEMES[0];
    if (isFirst) await visit(page, url);
    // The colours of a theme are the same at every width.
    for (const width of isFirst || PICTURES ? WIDTHS : WIDTHS.slice(0, 1)) {
      await page.setViewportSize({ width, height: 900 });
      const where = `${name}, ${theme}, ${width} px`;
      assert.deepEqual(await lasting(page, rulesFor(theme, width)), [], where);
      if (PICTURES) await picture(page, `${name.replace(/\W+/g, '-').replace(/^-/, '')}-${theme}-${width}`);
      if (isFirst) assert.deepEqual(await unreachable(page), [], `${where}: not reached by Tab`);
    }
  }
}

/** The colours of each theme are checked once, at desktop width; everything else at each width, in the first theme. */
function rulesFor(theme: string, width: number): Rules {
  if (theme !== THEMES[0]) return { only: COLOURS };
  return width === WIDTHS[0] ? {} : { without: COLOURS };
}

/** Returns the problems of a page that remain after it has loaded. */
async function lasting(page: Page, rules: Rules): Promise<string[]> {
  for (let look = 1; ; look++) {
    const found = await violations(page, rules);
    const tooWide = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
    if (tooWide > 0) found.push(`wider than the window by ${tooWide} px`);
    const offTheme = Number(await page.evaluate(OFF_THEME));
    if (offTheme > 0) found.push(`${offTheme} charts without the theme's colours`);
    if (found.length === 0 || look === LOOKS) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Counts the charts without any grid line in the theme's colour for lines. */
const OFF_THEME = `(() => {
  const drawn = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.setProperty('transition', 'none', 'important');
  probe.style.color = 'var(--line)';
  drawn.fillStyle = getComputedStyle(probe).color;
  probe.remove();
  drawn.fillRect(0, 0, 1, 1);
  const line = drawn.getImageData(0, 0, 1, 1).data;
  const isThere = (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < data.length; at += 4)
      if ([0, 1, 2, 3].every((part) => Math.abs(data[at + part] - line[part]) <= 1)) return true;
    return false;
  };
  return [...document.querySelectorAll('figure canvas')].filter((canvas) => !isThere(canvas)).length;
})()`;

async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES!, { recursive: true });
  await page.screenshot({ path: join(PICTURES!, `${name}.png`), fullPage: true });
}

/** Marks all visible controls, one per radio group, and returns how many there are. */
const MARK = `(() => {
  const all = 'a[href], button, input, select, textarea, summary, iframe, [tabindex]:not([tabindex="-1"])';
  const groups = new Set();
  let count = 0;
  for (const element of document.querySelectorAll(all)) {
    if (element.disabled || element.tabIndex < 0 || element.closest('[inert]') || !element.checkVisibility()) continue;
    if (element.type === 'radio') {
      if (groups.has(element.name)) continue;
      groups.add(element.name);
    }
    element.dataset.operable = element.type === 'radio' ? element.name : String(++count);
  }
  return count + groups.size;
})()`;

/** Records that the focused control was reached; returns whether it is a console, which captures every key but one. */
const REACH = `(() => {
  const element = document.activeElement;
  const mark = element.type === 'radio' ? element.name : element.dataset.operable;
  for (const one of document.querySelectorAll('[data-operable]'))
    if (one.dataset.operable === mark) delete one.dataset.operable;
  return element.tagName === 'IFRAME';
})()`;

/** Returns the controls of a page that cannot be reached with the Tab key. */
async function unreachable(page: Page): Promise<string[]> {
  const count = Number(await page.evaluate(MARK));
  // A month field has stops for the month, the year and the calendar button.
  const parts = 2 * (await page.locator('input[type="month"]').count());
  // Once around, from wherever the page has put the focus.
  for (let press = 0; press < count + parts + 2; press++) {
    if (await page.evaluate(REACH)) await page.keyboard.press('Control+Alt+Enter');
    await page.keyboard.press('Tab');
  }
  await page.evaluate(REACH);
  return page
    .locator('[data-operable]')
    .evaluateAll((all) => all.map(({ outerHTML }) => outerHTML.slice(0, 200)));
}
