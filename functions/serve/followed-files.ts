import { unwatchFile, watchFile } from 'node:fs';
import { errorText } from '../../shared/model/errors.ts';
import type { Log } from '../../shared/ports.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import { tokensIn, type Tokens } from '../../shared/config/tokens.ts';
import { readNamedFile } from '../../shared/named-file.ts';
import { readTokens } from '../http/admit.ts';

export interface FileLook {
  readonly log: Log;
  readonly everyMs?: number;
}

/** A kubelet writes a changed Secret within a minute or so. */
const LOOK_MS = 5_000;

/** Calls `read` after a file changed, until stopped; it throws while the files cannot be used. `what`: what is in them, in the plural. */
export function onFileChange(
  what: string,
  paths: readonly string[],
  read: () => Promise<void>,
  { log, everyMs = LOOK_MS }: FileLook,
): () => void {
  const changed = (): void => {
    read().then(
      () => {
        log.info(`the ${what} were read again`, { files: paths });
      },
      (error: unknown) => {
        const reason = errorText(error);
        log.warn(`the changed files cannot be used: levelset goes on with the ${what} that it read before`, {
          files: paths,
          reason,
        });
      },
    );
  };
  for (const path of paths) watchFile(path, { interval: everyMs, persistent: false }, changed);
  return () => {
    for (const path of paths) unwatchFile(path, changed);
  };
}

export interface FollowedTokens extends Tokens {
  readonly stop: () => void;
}

interface TokenFilesOptions extends FileLook {
  readonly flags: Pick<Flags, 'auditTokensFile' | 'resyncTokensFile' | 'pageTokensFile'>;
  readonly env: NodeJS.ProcessEnv;
}

/** The tokens of the environment and of files, in lists that stay the same objects. An unusable file keeps its last; CONFIG_INVALID at the start. */
export async function followTokens({ flags, env, ...look }: TokenFilesOptions): Promise<FollowedTokens> {
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
      const found = tokensIn(flag, await readNamedFile(flag, path));
      tokens.splice(0, Infinity, ...ofEnv[which], ...found);
    };
    await read();
    stops.push(onFileChange('tokens', [path], read, look));
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
