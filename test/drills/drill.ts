/** An attack or a fault, and how it is seen whether it was withstood. */
export interface Drill {
  readonly name: string;
  /** What happens to the program, in a few words. */
  readonly about: string;
  /** It is given up after this time. Default 180,000. */
  readonly maxMs?: number;
  /** It takes so long that it runs only when it is named. */
  readonly isLong?: boolean;
  /** Whether it was withstood. Clears up after itself, but for what ends with this process. */
  run(say: (line: string) => void): Promise<boolean>;
}
