/** What the Bot API says when it refuses; thrown by whatever plays a method. */
export class ApiRefusal extends Error {
  readonly code: number;
  readonly parameters: Readonly<Record<string, number>> | undefined;

  constructor(code: number, description: string, parameters?: Readonly<Record<string, number>>) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

export function badRequest(description: string, parameters?: Readonly<Record<string, number>>): ApiRefusal {
  return new ApiRefusal(400, `Bad Request: ${description}`, parameters);
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export function success(result: unknown): ApiAnswer {
  return { status: 200, body: { ok: true, result } };
}

export function failure(refusal: ApiRefusal): ApiAnswer {
  const { code, message, parameters } = refusal;
  return {
    status: code,
    body: { ok: false, error_code: code, description: message, ...(parameters === undefined ? {} : { parameters }) },
  };
}
