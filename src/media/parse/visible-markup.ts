/** A page without its scripts, which a visitor can see; at most `maxChars` of it. */
export function visibleMarkup(html: string, maxChars: number): string {
  const open = /<script(?=[\s>])/gi;
  const close = /<\/script/gi;
  let visible = '';
  let start = 0;
  while (visible.length < maxChars) {
    open.lastIndex = start;
    const script = open.exec(html);
    if (script === null) return (visible + html.slice(start)).slice(0, maxChars);
    visible += html.slice(start, script.index);
    close.lastIndex = script.index;
    const end = close.exec(html);
    if (end === null) break;
    const behind = html.indexOf('>', close.lastIndex);
    start = behind === -1 ? html.length : behind + 1;
  }
  return visible.slice(0, maxChars);
}
