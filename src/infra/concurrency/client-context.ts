import { withContext, workContext } from './work-context.ts';

/**
 * Does work on behalf of a client, such as `192.0.2.7` or `discord:80351110224678912`. Whatever that work waits for in a line that all
 * share, it waits for in the client's own part of the line. Set where requests come in; between there and the line nothing else knows
 * of it, as nothing but the line cares who asks.
 */
export function actFor<T>(client: string, work: () => T): T {
  return withContext({ client }, work);
}

/** On whose behalf the running work is done; all that Medley does by itself is of one client, `''`. */
export function actingClient(): string {
  return workContext().client;
}
