/** Whether Medley may do one thing in a chat. What each means, and how to mend it, is said in every language. */
export interface Diagnosis {
  readonly key: DiagnosisKey;
  readonly ok: boolean;
}

export const DIAGNOSIS_KEYS = [
  /** Write here; on Discord to see the channel too. */
  'sendMessages',
  /** Send photos and videos. */
  'attachFiles',
  /** Answer a message as a reply: Discord's Read Message History. */
  'readHistory',
  /** Hide the embed of the message that was answered: Discord's Manage Messages. */
  'manageMessages',
  /** Read links that are pasted: Discord's privileged intent. */
  'messageContent',
  /** Read links that are pasted: ok when Telegram's privacy mode is off, or Medley is an admin. */
  'privacyMode',
  /** Answer everyone visibly where Medley is installed by a person: Discord's Use External Apps. */
  'useExternalApps',
] as const;

export type DiagnosisKey = (typeof DIAGNOSIS_KEYS)[number];
