import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { followTokens, type FollowedTokens } from '../../../functions/serve/token-files.ts';
import { AUDIT_TOKEN, NEXT_AUDIT_TOKEN, RESYNC_TOKEN } from '../../http/tokens.ts';

interface Followed extends FollowedTokens {
  readonly lines: string[];
  readonly write: (text: string) => Promise<void>;
}

async function following(text: string): Promise<Followed> {
  const directory = await mkdtemp(join(tmpdir(), 'levelset-tokens-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const auditTokensFile = join(directory, 'tokens');
  await writeFile(auditTokensFile, text);
  const lines: string[] = [];
  const note = (message: string, fields?: unknown): void =>
    void lines.push(JSON.stringify([message, fields]));
  const tokens = await followTokens({
    flags: { auditTokensFile },
    env: { LEVELSET_RESYNC_TOKENS: RESYNC_TOKEN },
    log: { debug: note, info: note, warn: note, error: note },
    everyMs: 20,
  });
  onTestFinished(tokens.stop);
  return { ...tokens, lines, write: (other) => writeFile(auditTokensFile, other) };
}

test('a file that changes has other tokens at once, in the very list that was given away', async () => {
  const { auditTokens, resyncTokens, write, lines } = await following(`${AUDIT_TOKEN}\n`);
  expect([auditTokens, resyncTokens]).toEqual([[AUDIT_TOKEN], [RESYNC_TOKEN]]);
  await write(`${AUDIT_TOKEN},\n${NEXT_AUDIT_TOKEN}`);
  await vi.waitFor(() => {
    expect(auditTokens).toEqual([AUDIT_TOKEN, NEXT_AUDIT_TOKEN]);
  });
  await write(NEXT_AUDIT_TOKEN);
  await vi.waitFor(() => {
    expect(auditTokens).toEqual([NEXT_AUDIT_TOKEN]);
  });
  expect(lines.join()).not.toContain(AUDIT_TOKEN);
});

const QUIET = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

test.each([
  ['--resync-tokens-file', 'resyncTokensFile', 'resyncTokens'],
  ['--page-tokens-file', 'pageTokensFile', 'pageTokens'],
] as const)('%s has the tokens of its endpoint', async (_, flag, tokens) => {
  const directory = await mkdtemp(join(tmpdir(), 'levelset-tokens-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, 'tokens');
  await writeFile(file, AUDIT_TOKEN);
  const followed = await followTokens({ flags: { [flag]: file }, env: {}, log: QUIET });
  onTestFinished(followed.stop);
  const { auditTokens, resyncTokens, pageTokens } = followed;
  const none = { auditTokens: [], resyncTokens: [], pageTokens: [] };
  expect({ auditTokens, resyncTokens, pageTokens }).toEqual({ ...none, [tokens]: [AUDIT_TOKEN] });
});

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
  await expect(followTokens({ flags, env: {}, log: QUIET })).rejects.toThrow(
    'there is no such file in / (ENOENT)',
  );
});
