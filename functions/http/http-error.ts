interface More {
  readonly headers?: Readonly<Record<string, string>>;
  /** For a program, beside `error`. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** For the log only. */
  readonly cause?: unknown;
}

/** A request that is refused: what the caller is told. `message` is one line. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly more: More;

  constructor(status: number, message: string, more: More = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.status = status;
    this.more = more;
  }
}
