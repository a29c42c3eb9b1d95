const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TIMESTAMP = /^(\d{1,2}):(\d{2})\s?([AP])M\s?[^\w\s]?\s?([A-Z][a-z]{2})[a-z]* (\d{1,2}), (\d{4})$/;
const PACIFIC = new Intl.DateTimeFormat('en-US', { timeZone: 'America/Los_Angeles', timeZoneName: 'shortOffset' });
const HOUR_MS = 3_600_000;
/** Winter is eight hours behind, summer seven. */
const ABOUT_MS = 7.5 * HOUR_MS;

/** `12:26 PM · Sep 2, 2026`, as embeds write it in US Pacific time, in unix milliseconds; null for anything else. */
export function pacificInstant(text: string): number | null {
  const found = TIMESTAMP.exec(text.trim().replace(/\s+/g, ' '));
  const [, hour, minute, half, month = '', day, year] = found ?? [];
  const index = MONTHS.indexOf(month);
  if (index === -1) return null;
  const hours = (Number(hour) % 12) + (half === 'P' ? 12 : 0);
  const local = Date.UTC(Number(year), index, Number(day), hours, Number(minute));
  const zone = PACIFIC.formatToParts(local + ABOUT_MS).find(({ type }) => type === 'timeZoneName')?.value;
  const behind = /^GMT-(\d{1,2})$/.exec(zone ?? '')?.[1];
  return behind === undefined ? null : local + Number(behind) * HOUR_MS;
}
