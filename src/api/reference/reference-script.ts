/**
 * The reference's script, inline in the page; the page's policy allows it by its hash. It uses the web chat's theme,
 * sends forms and shows the answers, copies examples, shows all examples in the language chosen last, and marks the
 * section in view. Without it a form opens its answer as a page. It shows everything as text, never as HTML.
 */
export const REFERENCE_SCRIPT = `
try {
  const theme = localStorage.getItem('medley.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without access to the storage the page has the system's theme.
}
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
// A file is not loaded here: the link above the answer saves it.
async function describeFile({ headers, body }) {
  await body?.cancel();
  return headers.get('content-type') + ', ' + headers.get('content-length') + ' bytes';
}
async function preview(form, output, isShown) {
  const link = form.elements.url?.value.trim();
  if (!link) return;
  const response = await fetch('/docs/preview?' + new URLSearchParams({ url: link }));
  if (!response.ok) return;
  const { items } = await response.json();
  if (items.length === 0 || !isShown()) return;
  const list = make('ul', undefined, 'previews');
  // The list may have to be scrolled sideways.
  list.tabIndex = 0;
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
const COPY = 'Copy';
// Pages that did not come over TLS have no clipboard, except on this machine.
function addCopy(code) {
  if (!navigator.clipboard) return;
  const button = make('button', COPY, 'copy');
  button.type = 'button';
  button.addEventListener('click', async () => {
    const isCopied = await navigator.clipboard.writeText(code.textContent).then(() => true, () => false);
    button.textContent = isCopied ? 'Copied' : 'Not allowed';
    setTimeout(() => { button.textContent = COPY; }, 2000);
  });
  const frame = make('div', undefined, 'copied');
  code.replaceWith(frame);
  frame.append(code, button);
}
for (const code of document.querySelectorAll('pre')) addCopy(code);
const LANGUAGE = 'medley.reference.language';
const storage = (() => { try { return localStorage; } catch { return undefined; } })();
const languages = [...document.querySelectorAll('.samples input')];
function chooseLanguage(name) {
  for (const input of languages) if (input.value === name) input.checked = true;
}
for (const input of languages) input.addEventListener('change', () => {
  // The place that is read stays where it is, though examples above it change their height.
  const before = input.getBoundingClientRect().top;
  chooseLanguage(input.value);
  scrollBy({ top: input.getBoundingClientRect().top - before, behavior: 'instant' });
  storage?.setItem(LANGUAGE, input.value);
});
chooseLanguage(storage?.getItem(LANGUAGE));
const links = new Map([...document.querySelectorAll('nav a[href^="#"]')].map(link => [link.hash.slice(1), link]));
const inSight = new Set();
const watch = new IntersectionObserver(entries => {
  for (const { target, isIntersecting } of entries) inSight[isIntersecting ? 'add' : 'delete'](target.id);
  const [read] = [...links.keys()].filter(id => inSight.has(id));
  if (read === undefined) return;
  for (const [id, link] of links) {
    if (id === read) link.setAttribute('aria-current', 'location');
    else link.removeAttribute('aria-current');
  }
}, { rootMargin: '-10% 0px -60% 0px' });
for (const section of document.querySelectorAll('main section')) watch.observe(section);
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
      const text = response.headers.has('content-disposition') ? await describeFile(response) : await response.text();
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
      code.setAttribute('role', 'group');
      code.setAttribute('aria-label', 'What came');
      code.append(make('code', body));
      output.replaceChildren(line, code);
      addCopy(code);
      // If the preview fails, the answer is shown without it.
      if (response.ok && form.dataset.shows === 'media') preview(form, output, () => mine === turn).catch(() => {});
    } catch {
      if (mine === turn) output.replaceChildren(make('p', 'This server cannot be reached. Try again in a moment.'));
    }
  });
}
`;
