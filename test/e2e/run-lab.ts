/** `npm run test:lab`: chooses lab files and runs them. */
import { join } from 'node:path';
import { startVitest } from 'vitest/node';
import { choose, USAGE, type Choice } from './rotation/choice.ts';
import { LAB_FILES, OLDEST } from './rotation/lab-files.ts';

/** In CI so many files that failed run once more, whole: the real parts share a machine with whatever else it does. */
const MOST_AGAIN = 4;

try {
  process.exitCode = await run(choose(process.argv.slice(2)));
} catch (error) {
  console.error(`${(error as Error).message}\n${USAGE}`);
  process.exitCode = 2;
}

async function run({ files, testName, list }: Choice): Promise<number> {
  const left = Object.keys(LAB_FILES).filter((file) => !files.includes(file));
  console.log(['lab:', ...files, 'not run:', ...left].join('\n  '));
  if (list) return 0;
  if (files.some((file) => file.startsWith(OLDEST))) process.env['LEVELSET_E2E_OLDEST'] = 'yes';
  const runAll = async (some: readonly string[]): Promise<readonly string[]> => {
    const vitest = await startVitest([...some], {
      config: join(import.meta.dirname, 'vitest.config.ts'),
      watch: false,
      reporters: ['default'],
      ...(testName === undefined ? {} : { testNamePattern: testName }),
    });
    const failed = vitest.state.getTestModules().filter((module) => !module.ok());
    await vitest.close();
    return failed.map(({ relativeModuleId }) => relativeModuleId);
  };
  const failed = await runAll(files);
  const code = Number(process.exitCode ?? 0);
  if (process.env['CI'] === undefined || failed.length === 0 || failed.length > MOST_AGAIN) return code;
  console.log(`lab: once more: ${failed.join(', ')}`);
  return (await runAll(failed)).length === 0 ? 0 : 1;
}
