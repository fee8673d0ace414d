/** A button shows for this long that it has copied. */
const SAID_MS = 1500;

export function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLPreElement>('pre')) {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' });
    button.className = 'copy';
    button.addEventListener('click', async () => {
      await copy(textOf(block));
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, SAID_MS);
    });
    const frame = document.createElement('div');
    frame.className = 'copyable';
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

/**
 * Returns the text to copy: in a console only the typed input, without the prompt and the output; otherwise everything.
 */
function textOf(block: HTMLPreElement): string {
  const text = block.textContent ?? '';
  if (block.dataset.language !== 'console') return text;
  return text
    .split('\n')
    .filter((line) => line.startsWith('$ '))
    .map((line) => line.slice(2))
    .join('\n');
}

async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Over plain HTTP, browsers offer only this.
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}
