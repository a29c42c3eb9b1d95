export interface UserSettings {
  /** BCP 47 tag of a language Medley speaks, or null for automatic. */
  readonly language: string | null;
}

/** Durable settings by `${platform}:${userId}`. Absent rows read as defaults. */
export interface SettingsStore {
  user(key: string): UserSettings;
  setUser(key: string, change: Partial<UserSettings>): void;
  /** Deletes everything kept about that person. */
  forgetUser(key: string): void;
}
