import { readEntryTokens, type Texts } from '../../../shared/clusters/entry.ts';
import type { Tokens } from '../../../shared/config/tokens.ts';
import { errorText, ReconcileError } from '../../../shared/model/errors.ts';
import { isClusterName } from '../../../shared/model/request.ts';
import { authorizeReader } from '../../../shared/trigger/authorize.ts';
import { openTokens, readTokens } from '../../http/admit.ts';
import { HttpError } from '../../http/exchange.ts';
import { log } from '../function-log.ts';
import type { ParameterSource } from './parameter-source.ts';

interface Admitting {
  /** Those of the entry and of the deployment. */
  readonly tokens: Tokens;
  /** Undefined: there is no such cluster, or this stranger may not have it looked up. */
  readonly texts: Texts | undefined;
}

/** Who may call about a cluster. An unknown token may be new, so the entry is read again. A wrong token and an unknown name have one answer. */
export class Admissions {
  readonly #source: ParameterSource;
  readonly #deployment: Tokens;
  readonly #last = new Map<string, Tokens>();

  constructor(source: ParameterSource, env: NodeJS.ProcessEnv) {
    this.#source = source;
    this.#deployment = readTokens(env);
  }

  /** Throws HttpError 503 while the registry cannot be read, and 429 to every stranger while too many names were guessed. */
  async of(name: string, which: keyof Tokens, authorization: string | undefined): Promise<Admitting> {
    const isOpen = ({ tokens }: Admitting): boolean => authorizeReader(authorization, tokens[which]);
    if (isOpen({ tokens: this.#deployment, texts: undefined })) return this.#read(name);
    const first = await this.#read(name, () => this.#source.readForStranger(name));
    if (isOpen(first)) return first;
    this.#source.doubt(name);
    const again = await this.#read(name);
    if (this.#source.isSpent && !isOpen(again)) throw tooMany();
    return again;
  }

  async #read(
    name: string,
    read: () => ReturnType<ParameterSource['readForStranger']> = () => this.#source.read(name),
  ): Promise<Admitting> {
    if (!isClusterName(name)) return this.#admitting(name, undefined);
    try {
      const texts = await read();
      if (texts === 'spent') throw tooMany();
      return this.#admitting(name, texts);
    } catch (cause) {
      if (!(cause instanceof ReconcileError)) throw cause;
      throw unreadable(cause);
    }
  }

  #admitting(name: string, texts: Texts | undefined): Admitting {
    const problems: string[] = [];
    const own = texts && readEntryTokens(texts, this.#last.get(name), problems);
    for (const problem of problems) log.warn(`${name}: ${errorText(problem)}`, { cluster: name });
    if (own) this.#last.set(name, own);
    else this.#last.delete(name);
    return { tokens: openTokens(own, this.#deployment), texts };
  }
}

/** One answer whether the name is known, absent or not read, so that it tells no names. */
function tooMany(): HttpError {
  const message = 'no valid token, or too many unknown clusters were asked for: send it again';
  return new HttpError(429, message, { headers: { 'Retry-After': '2' } });
}

function unreadable(cause: unknown): HttpError {
  const message = 'the registry of the clusters cannot be read at the moment: send it again';
  return new HttpError(503, message, { headers: { 'Retry-After': '2' }, cause });
}
