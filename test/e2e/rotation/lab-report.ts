import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';
import type { Choice } from './choice.ts';

interface Figures {
  readonly file: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Beside what vitest prints: what ran, the time of each file, longest first, and what did not run. */
export class LabReport implements Reporter {
  readonly #choice: Choice;
  readonly #began = new Map<string, number>();
  readonly #figures: Figures[] = [];
  readonly #start = Date.now();

  constructor(choice: Choice) {
    this.#choice = choice;
  }

  onTestModuleQueued({ relativeModuleId }: TestModule): void {
    this.#began.set(relativeModuleId, Date.now());
  }

  onTestModuleEnd(module: TestModule): void {
    const file = module.relativeModuleId;
    const tests = [...module.children.allTests()];
    const of = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const figures: Figures = {
      file,
      seconds: (Date.now() - (this.#began.get(file) ?? this.#start)) / 1000,
      passed: of('passed'),
      failed: of('failed'),
      skipped: of('skipped'),
    };
    this.#figures.push(figures);
  }

  onTestRunEnd(_modules: readonly TestModule[], _errors: readonly unknown[], reason: TestRunEndReason): void {
    console.log(this.#text(reason));
  }

  #text(reason: TestRunEndReason): string {
    const choice = this.#choice;
    const sum = (of: (figures: Figures) => number): number =>
      this.#figures.reduce((all, one) => all + of(one), 0);
    const longest = this.#figures.toSorted((a, b) => b.seconds - a.seconds);
    const missed = choice.files.filter((file) => !this.#figures.some((one) => one.file === file));
    return [
      '',
      `lab: ${choice.why}: ${reason}`,
      `${sum(({ passed }) => passed)} tests passed, ${sum(({ failed }) => failed)} failed, ${sum(({ skipped }) => skipped)} skipped ` +
        `in ${((Date.now() - this.#start) / 1000).toFixed()} s; by file:`,
      ...longest.map(line),
      ...missed.map((file) => `      -        not reached          ${file}`),
      ...[...choice.left]
        .sort()
        .map(([part, files]) => `not run, ${nameOf(part)}: ${files.map(short).join(', ')}`),
      '',
    ].join('\n');
  }
}

const nameOf = (part: unknown): string => (part === 'core' ? 'core' : `part ${String(part)}`);
const short = (file: string): string => file.replace(/^test\//, '').replace(/\.test\.ts$/, '');

function line({ file, seconds, passed, failed, skipped }: Figures): string {
  const counts =
    `${passed} passed` +
    (failed > 0 ? `, ${failed} FAILED` : '') +
    (skipped > 0 ? `, ${skipped} skipped` : '');
  return `${seconds.toFixed(1).padStart(7)} s  ${file}: ${counts}`;
}
