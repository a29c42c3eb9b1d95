import { isLoneLink } from '../base/address.ts';
import { h } from '../base/dom.ts';
import { text } from '../base/texts.ts';

/** Receives text from outside the message box: pasted anywhere, dropped on the page, or shared to the app. */
export function listenForArrivals(take: (line: string) => void): void {
  const sign = h('div', { class: 'drop-sign', 'aria-hidden': 'true', hidden: true });
  document.body.append(sign);

  document.addEventListener('paste', event => {
    const isEditable =
      event.target instanceof HTMLElement && event.target.matches('input, textarea, [contenteditable]');
    if (isEditable) return;
    const line = event.clipboardData?.getData('text/plain').trim() ?? '';
    if (line === '') return;
    event.preventDefault();
    take(line);
  });

  document.addEventListener('dragover', event => {
    if (!isWelcome(event.dataTransfer)) return;
    event.preventDefault();
    sign.textContent = text('dropHere');
    sign.hidden = false;
  });
  document.addEventListener('dragleave', event => {
    if (event.relatedTarget === null) sign.hidden = true;
  });
  document.addEventListener('drop', event => {
    sign.hidden = true;
    if (!isWelcome(event.dataTransfer)) return;
    event.preventDefault();
    take(droppedLine(event.dataTransfer));
  });

  takeShared(take);
}

function isWelcome(data: DataTransfer | null): data is DataTransfer {
  return data !== null && (data.types.includes('text/uri-list') || data.types.includes('text/plain'));
}

function droppedLine(data: DataTransfer): string {
  const links = data.getData('text/uri-list').split(/\r?\n/);
  return links.find(isLoneLink) ?? data.getData('text/plain').trim();
}

/** Reads what another app shared: apps put a link into any of three parameters, often among other words. */
function takeShared(take: (line: string) => void): void {
  const shared = new URLSearchParams(location.search);
  const parts = ['url', 'text', 'title'].map(name => shared.get(name)?.trim() ?? '');
  const line = parts.find(part => part !== '');
  if (line === undefined) return;
  history.replaceState(history.state, '', '/');
  const links = parts.flatMap(part => part.match(/https?:\/\/\S+/g) ?? []);
  take(links[0] ?? line);
}
