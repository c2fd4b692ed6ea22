import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { followTokens } from '../../../functions/serve/followed-files.ts';
import { AUDIT_TOKEN, NEXT_AUDIT_TOKEN, RESYNC_TOKEN } from '../../http/tokens.ts';
import { heard } from '../running.ts';

const FILES = [
  ['auditTokensFile', 'auditTokens'],
  ['resyncTokensFile', 'resyncTokens'],
  ['pageTokensFile', 'pageTokens'],
] as const;

/** The tokens of a file that a test writes, beside one of the environment. */
async function following(text: string, flag = 'auditTokensFile') {
  const directory = await mkdtemp(join(tmpdir(), 'levelset-tokens-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, 'tokens');
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
    const expectThoseOfFile = (...tokens: readonly string[]): void => {
      const all = { ...ofEnv, [name]: [...ofEnv[name], ...tokens] };
      expect({ auditTokens, resyncTokens, pageTokens }).toEqual(all);
    };
    expectThoseOfFile(AUDIT_TOKEN);
    await write(`${AUDIT_TOKEN},\n${NEXT_AUDIT_TOKEN}`);
    await vi.waitFor(() => {
      expectThoseOfFile(AUDIT_TOKEN, NEXT_AUDIT_TOKEN);
    });
    await write(NEXT_AUDIT_TOKEN);
    await vi.waitFor(() => {
      expectThoseOfFile(NEXT_AUDIT_TOKEN);
    });
    expect(lines.join()).not.toContain(AUDIT_TOKEN);
  },
);

test('a file that cannot be used any more leaves the last tokens, and the log never has one', async () => {
  const { auditTokens, write, lines } = await following(AUDIT_TOKEN);
  await write('short');
  await vi.waitFor(() => {
    expect(lines.join()).toContain('has fewer than 20 characters');
  });
  expect(auditTokens).toEqual([AUDIT_TOKEN]);
  expect(lines.join()).not.toContain('"short"');
});

test('a token that can be guessed, or a file that is not there, is no start', async () => {
  await expect(following('change-me-audit-token-long')).rejects.toThrow(
    '--audit-tokens-file: a token is the placeholder',
  );
  const flags = { auditTokensFile: '/nowhere' };
  await expect(followTokens({ flags, env: {}, log: heard().log })).rejects.toThrow(
    'there is no such file in / (ENOENT)',
  );
});
