import './consoles.css';
import type { Console, Ending } from './console.ts';
import { textsOf } from './texts.ts';
import { NoTicket } from './ticket.ts';

/**
 * The document of a terminal or a screen, shown in an iframe on the machine's page or in its own tab. It is separate
 * from the panel's single page because the terminal emulator writes inline styles, which the panel's content security
 * policy forbids.
 */
const query = new URLSearchParams(location.search);
const texts = textsOf(document.documentElement.lang);
const vm = query.get('vm') ?? '';
const view = query.get('view') === 'screen' ? 'screen' : 'terminal';

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = className;
  made.append(...children);
  return made;
}

const status = element('span', 'status');
status.role = 'status';
const title = element('h1', 'title', query.get('name') ?? texts[view]);
const tools = element('div', 'tools');
const bar = element('header', 'bar', title, status, tools);
const place = element('div', `place ${view}`);
const noticeTitle = element('h2', '');
const noticeText = element('p', '');
const again = element('button', '', texts.again);
again.type = 'button';
const notice = element('section', 'notice', noticeTitle, noticeText, again);
notice.role = 'alert';
notice.hidden = true;
const main = element('main', '', place, notice);
const after = element('span', '');
// Focusable only while the shortcut moves the focus here: from a focused element, the next Tab leaves the iframe.
after.addEventListener('blur', () => after.removeAttribute('tabindex'));
document.body.append(bar, main, after);
document.title = `${title.textContent} · ${texts[view]}`;

let opened: Console | undefined;

function show(what: readonly [string, string], mayTryAgain = true): void {
  [noticeTitle.textContent, noticeText.textContent] = what;
  again.hidden = !mayTryAgain;
  notice.hidden = false;
  status.textContent = texts.closed;
}

function ended({ code }: Ending): void {
  show(code in texts ? (texts[code as 1000] ?? texts.lost) : texts.lost);
}

async function load(): Promise<Console> {
  const made =
    view === 'screen'
      ? (await import('./screen.ts')).screen(vm, place, ended)
      : (await import('./terminal.ts')).terminal(vm, place, ended);
  for (const { name, run } of made.tools) {
    const button = element('button', '', texts[name]);
    button.type = 'button';
    button.addEventListener('click', run);
    tools.append(button);
  }
  return made;
}

async function connect(): Promise<void> {
  notice.hidden = true;
  status.textContent = texts.connecting;
  try {
    opened ??= await load();
    await opened.connect();
    if (notice.hidden) status.textContent = texts.connected;
  } catch (error) {
    const kind = error instanceof NoTicket ? error.kind : 'unreachable';
    if (kind === 'signed_out') show(texts.signedOut);
    else if (kind === 'refused') show([texts.refused, (error as NoTicket).message]);
    else show(texts.unreachable);
  }
}

/**
 * A console captures every key, including Tab. This shortcut, which the surrounding page announces, moves the focus out
 * of it: the next Tab goes to whatever follows the console.
 */
function leadOut(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !event.ctrlKey || !event.altKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  after.tabIndex = 0;
  after.focus();
}

addEventListener('keydown', leadOut, { capture: true });
again.addEventListener('click', () => void connect());
if (vm) void connect();
else show(texts.noMachine, false);
