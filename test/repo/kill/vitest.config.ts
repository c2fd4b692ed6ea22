/** vitest as kill-matrix.ts runs it in its copy: the quickest files first, and the outcome of each in a file as soon as it ends. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { mergeConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';
import ours from '../../../vitest.config.ts';
import { THOROUGH } from '../../thorough.config.ts';
import type { Told } from './kill-matrix.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ORDER = JSON.parse(readFileSync(process.env['KILL_ORDER'] ?? '', 'utf8')) as readonly string[];

class InOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => ORDER.indexOf(relative(ROOT, moduleId));
    return Promise.resolve(files.toSorted((a, b) => place(a) - place(b)));
  }
}

function tell(told: Told): void {
  appendFileSync(process.env['KILL_TOLD'] ?? '', `${JSON.stringify(told)}\n`);
}

const reporter: Reporter = {
  onTestModuleStart(module: TestModule) {
    tell({ file: relative(ROOT, module.moduleId), at: Date.now() });
  },
  onTestModuleEnd(module: TestModule) {
    const { duration, collectDuration } = module.diagnostic();
    const failed = [...module.children.allTests('failed')].map(({ fullName }) => fullName);
    const file = relative(ROOT, module.moduleId);
    tell({ file, at: Date.now(), ok: module.ok(), ms: Math.round(duration + collectDuration), failed });
  },
  onTestRunEnd(_modules, unhandled) {
    if (unhandled.length > 0)
      tell({ file: '', at: Date.now(), ok: false, failed: unhandled.map(({ message }) => message) });
  },
};

/** What takes too long for npm test holds promises, too. */
const projects = (ours.test?.projects ?? []).map((project) => {
  if (typeof project !== 'object' || !('test' in project)) return project;
  const exclude = project.test.exclude?.filter((path) => !THOROUGH.includes(path));
  return { ...project, test: { ...project.test, exclude } };
});

export default mergeConfig(
  { test: { ...ours.test, projects } },
  {
    root: ROOT,
    cacheDir: join(ROOT, '.vite'),
    test: {
      setupFiles: [join(import.meta.dirname, 'setup.ts')],
      reporters: [reporter],
      sequence: { sequencer: InOrder },
    },
  },
);
