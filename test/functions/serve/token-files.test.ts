import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { followTokens } from '../../../functions/serve/followed-files.ts';
import { AUDIT_TOKEN, NEXT_AUDIT_TOKEN, RESYNC_TOKEN } from '../../http/tokens.ts';
import { aFolder } from '../../support/for-one-test.ts';
import { heard } from '../running.ts';

const FILES = [
  ['auditTokensFile', 'auditTokens'],
  ['resyncTokensFile', 'resyncTokens'],
  ['pageTokensFile', 'pageTokens'],
] as const;

/** The tokens of a file that a test writes, beside one of the environment. */
async function following(text: string, flag = 'auditTokensFile') {
  const file = join(aFolder(), 'tokens');
  await writeFile(file, text);
  const { log, lines } = heard();
  const env = { LEVELSET_RESYNC_TOKENS: RESYNC_TOKEN };
  const tokens = await followTokens({ flags: { [flag]: file }, env, log, everyMs: 20 });
  onTestFinished(tokens.stop);
  return { ...tokens, lines, write: (other: string) => writeFile(file, other) };
}

test.each(FILES)(
  '--%s has the tokens of its endpoint beside those of its variable; when it changes they count at once, in the very list that was given away',
  async (flag, name) => {
    const { write, lines, auditTokens, resyncTokens, pageTokens } = await following(AUDIT_TOKEN, flag);
    const ofEnv = { auditTokens: [], resyncTokens: [RESYNC_TOKEN], pageTokens: [] };
    const those = () => ({ auditTokens, resyncTokens, pageTokens });
    const having = (...tokens: readonly string[]) => ({ ...ofEnv, [name]: [...ofEnv[name], ...tokens] });
    expect(those()).toEqual(having(AUDIT_TOKEN));
    await write(`${AUDIT_TOKEN},\n${NEXT_AUDIT_TOKEN}`);
    await expect.poll(those).toEqual(having(AUDIT_TOKEN, NEXT_AUDIT_TOKEN));
    await write(NEXT_AUDIT_TOKEN);
    await expect.poll(those).toEqual(having(NEXT_AUDIT_TOKEN));
    expect(lines.join()).not.toContain(AUDIT_TOKEN);
  },
);

test('a file that cannot be used any more leaves the last tokens, and the log never has one', async () => {
  const { auditTokens, write, lines } = await following(AUDIT_TOKEN);
  await write('short');
  await expect.poll(() => lines.join()).toContain('has fewer than 20 characters');
  expect(auditTokens).toEqual([AUDIT_TOKEN]);
  expect(lines.join()).not.toContain('"short"');
});

test('a token that can be guessed, or a file that is not there, is no start', async () => {
  const guessed = following('change-me-audit-token-long');
  await expect(guessed).rejects.toThrow('--audit-tokens-file: a token is the placeholder');
  const flags = { auditTokensFile: '/nowhere' };
  const started = followTokens({ flags, env: {}, log: heard().log });
  await expect(started).rejects.toThrow('there is no such file in / (ENOENT)');
});
