import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { FLAGS } from '../../../shared/config/flags.ts';
import { out, run } from './command-line.ts';

const exec = promisify(execFile);

/** What bash offers for a command line whose last word is unfinished. */
async function offered(script: string, ...words: readonly string[]): Promise<readonly string[]> {
  const line = words.map((word) => `'${word}'`).join(' ');
  const { stdout } = await exec('bash', [
    '-c',
    `${script}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _levelset; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ]);
  return stdout.split('\n').filter((word) => word !== '');
}

test('bash completes commands, the flags of a command, and objects', async () => {
  expect(await run('completion bash', {})).toBe(0);
  const script = out.at(-1) ?? '';
  expect(await offered(script, 'levelset', 're')).toEqual(['relay', 'reconcile', 'replay']);
  expect(await offered(script, 'levelset', 'plan', '--det')).toEqual(['--detailed-exitcode']);
  expect(await offered(script, 'levelset', 'sweep', '--det')).toEqual([]);
  expect(await offered(script, 'levelset', 'explain', 's')).toEqual(['svc/', 'service/']);
  expect(await offered(script, 'levelset', 'completion', '')).toEqual(
    expect.arrayContaining(['bash', 'zsh', 'fish']),
  );
  const given = Object.entries(FLAGS).flatMap(([name, { commands }]) =>
    commands.some((one) => one === 'serve') ? [`--${name}`] : [],
  );
  expect(await offered(script, 'levelset', 'serve', '--')).toEqual(expect.arrayContaining(given));
});

test('zsh and fish know every command with what it is for', async () => {
  expect(await run('completion zsh', {})).toBe(0);
  expect(out.at(-1)).toContain("'lint:read manifests");
  expect(await run('completion fish', {})).toBe(0);
  expect(out.at(-1)).toMatch(
    /^complete -c levelset -n '__fish_seen_subcommand_from plan' -l output -s o -r -d /m,
  );
  expect(await run('completion tcsh', {})).toBe(1);
});

test('the help has groups, examples, and the flags of that command alone', async () => {
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => (out.push(String(text)), true));
  expect(await run('--help', {})).toBe(0);
  expect(out.join('')).toMatch(
    /Run:\n {2}serve[^]*Work once:\n {2}sweep[^]*Look, and change nothing:\n {2}plan/,
  );
  out.length = 0;
  expect(await run('lint --help', {})).toBe(0);
  const text = out.join('');
  expect(text).toMatch(/One run:\n[^]*--output/);
  expect(text).toContain('Examples:\n  levelset lint service.yaml\n  helm template . | levelset lint -');
  expect(text).not.toContain('--listen');
});
