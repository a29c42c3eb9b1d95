const TIMESTAMP = /^(\d{1,2}):(\d{2})\s?([AP]M)\s?[^\w\s]?\s?([A-Z][a-z]{2} \d{1,2}, \d{4})$/;
const PACIFIC = new Intl.DateTimeFormat('en-US', { timeZone: 'America/Los_Angeles', timeZoneName: 'shortOffset' });
const HOUR_MS = 3_600_000;

/** `12:26 PM · Sep 2, 2026`, as embeds write it in US Pacific time, in unix milliseconds; null for anything else. */
export function pacificInstant(text: string): number | null {
  const [, hour, minute, half, day] = TIMESTAMP.exec(text.trim().replace(/\s+/g, ' ')) ?? [];
  const local = Date.parse(`${day} ${hour}:${minute} ${half} UTC`);
  if (Number.isNaN(local)) return null;
  // Winter is eight hours behind, summer seven.
  const parts = PACIFIC.formatToParts(local + 7.5 * HOUR_MS);
  const behind = /^GMT-(\d)$/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '')?.[1];
  return behind === undefined ? null : local + Number(behind) * HOUR_MS;
}
