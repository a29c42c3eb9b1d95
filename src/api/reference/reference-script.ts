/**
 * The reference's script, inline in the page; its hash is in the page's policy. It sends a form's request and shows what came, and
 * copies examples. Without it the forms lead to the answers themselves. All that it shows is set as text.
 */
export const REFERENCE_SCRIPT = `
const make = (tag, text, name) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (name !== undefined) element.className = name;
  return element;
};
const addressOf = form => {
  const fields = [...new FormData(form)].filter(([, value]) => value.trim() !== '');
  return form.getAttribute('action') + '?' + new URLSearchParams(fields);
};
async function preview(form, output, isShown) {
  const link = form.elements.url?.value.trim();
  if (!link) return;
  const response = await fetch('/docs/preview?' + new URLSearchParams({ url: link }));
  if (!response.ok) return;
  const { items } = await response.json();
  if (items.length === 0 || !isShown()) return;
  const list = make('ul', undefined, 'previews');
  items.forEach(({ kind, address, alt }, index) => {
    const image = make('img');
    image.src = address;
    image.alt = alt || kind + ' ' + (index + 1) + ' of ' + items.length;
    image.loading = 'lazy';
    const item = make('li');
    item.append(image, make('span', kind));
    list.append(item);
  });
  output.lastChild.before(list);
}
for (const form of document.querySelectorAll('form.try')) {
  const output = form.nextElementSibling;
  let turn = 0;
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const mine = ++turn;
    const address = addressOf(form);
    output.replaceChildren(make('p', 'Asking…'));
    try {
      const startedAt = performance.now();
      const response = await fetch(address);
      const text = await response.text();
      if (mine !== turn) return;
      const ms = Math.round(performance.now() - startedAt);
      const left = response.headers.get('x-ratelimit-remaining');
      const parts = [response.status + ' ' + (response.ok ? 'OK' : 'failed'), ms + ' ms'];
      if (left !== null && left.length < 10) parts.push(left + ' requests left this hour');
      let body = text;
      // An answer that is no JSON, such as a proxy's page, is shown as it came.
      try { body = JSON.stringify(JSON.parse(text), null, 2); } catch {}
      const link = make('a', address);
      link.href = address;
      const line = make('p', parts.join(' · ') + ' ', 'outcome');
      line.append(link);
      const code = make('pre');
      code.tabIndex = 0;
      code.setAttribute('role', 'region');
      code.setAttribute('aria-label', 'What came');
      code.append(make('code', body));
      output.replaceChildren(line, code);
      // The answer stands without it.
      if (response.ok && form.dataset.shows === 'media') preview(form, output, () => mine === turn).catch(() => {});
    } catch {
      if (mine === turn) output.replaceChildren(make('p', 'This server cannot be reached. Try again in a moment.'));
    }
  });
}
`;
