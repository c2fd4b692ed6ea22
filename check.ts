/** `npm run check`: types, lint and formatting side by side. What each says is printed in one piece when it has ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const codes = await Promise.all(['lint', 'types', 'format'].map(run));
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;

/** The exit code of `npm run SCRIPT`; null when a signal ended it. */
async function run(script: string): Promise<number | null> {
  const child = spawn('npm', ['run', '--silent', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => chunks.push(text));
  const [code] = (await once(child, 'close')) as [number | null];
  console.log(`${script}: ${code === 0 ? 'ok' : 'failed'}\n${chunks.join('')}`.trimEnd());
  return code;
}
