import type { HttpRequest } from '../../infra/http/http-client.ts';

/** Values of an address's query; a list gives its name once for each. */
export type OsuParams = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/**
 * One call of the official API, with its token and at its pace: the JSON of a successful answer.
 *
 * @param path below `/api/v2/`
 * @throws AppError as every method of `OsuApi` does
 */
export type OsuCall = (
  path: string,
  params: OsuParams,
  signal?: AbortSignal,
  request?: Partial<HttpRequest>,
) => Promise<unknown>;
