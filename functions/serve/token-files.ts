import { readFile } from 'node:fs/promises';
import type { Flags } from '../../shared/config/read-flags.ts';
import { errorText, ReconcileError } from '../../shared/model/errors.ts';
import type { Log } from '../../shared/ports.ts';
import { readTokens, tokensIn, type Tokens } from '../http/admit.ts';
import { onFileChange } from './on-file-change.ts';

export interface FollowedTokens extends Tokens {
  /** Looks at the files no more. */
  readonly stop: () => void;
}

export interface TokenFilesOptions {
  readonly flags: Pick<Flags, 'auditTokensFile' | 'resyncTokensFile' | 'pageTokensFile'>;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly everyMs?: number;
}

/**
 * The tokens of the environment, and of files. The lists are always the same objects, with other tokens in them after a file
 * has changed. While a file cannot be used, its last tokens count. Throws CONFIG_INVALID when one cannot be used at the start.
 */
export async function followTokens({ flags, env, log, everyMs }: TokenFilesOptions): Promise<FollowedTokens> {
  const ofEnv = readTokens(env);
  const files = {
    auditTokens: ['--audit-tokens-file', flags.auditTokensFile],
    resyncTokens: ['--resync-tokens-file', flags.resyncTokensFile],
    pageTokens: ['--page-tokens-file', flags.pageTokensFile],
  } as const;
  const stops: (() => void)[] = [];
  const follow = async (which: keyof Tokens): Promise<readonly string[]> => {
    const tokens = [...ofEnv[which]];
    const [flag, path] = files[which];
    if (path === undefined) return tokens;
    const read = async (): Promise<void> => {
      const found = await tokensOf(flag, path);
      tokens.splice(0, Infinity, ...ofEnv[which], ...found);
    };
    await read();
    const changed = (): void => {
      read().then(
        () => {
          log.info('the tokens were read again', { flag });
        },
        (error: unknown) => {
          log.warn('the last tokens count: the file that changed cannot be used', {
            reason: errorText(error),
          });
        },
      );
    };
    stops.push(onFileChange([path], changed, everyMs));
    return tokens;
  };
  return {
    auditTokens: await follow('auditTokens'),
    resyncTokens: await follow('resyncTokens'),
    pageTokens: await follow('pageTokens'),
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

async function tokensOf(flag: string, path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ReconcileError('CONFIG_INVALID', `${flag}: ${path} cannot be read: ${code}`);
  });
  return tokensIn(flag, text);
}
