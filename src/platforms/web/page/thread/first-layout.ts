const observer = new ResizeObserver(entries => {
  for (const { target } of entries) {
    observer.unobserve(target);
    // The browser notes the height after this event has been handled, so the class is removed in the next frame.
    requestAnimationFrame(() => target.classList.remove('fresh'));
  }
});

/**
 * Keeps a new element in the layout, even far from view, until the browser knows its height. If the height were
 * guessed, the text being read would move once the real height is known: Safari and Firefox do not prevent that.
 */
export function layOutOnce(element: HTMLElement): void {
  element.classList.add('fresh');
  observer.observe(element);
}
