import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { HELM } from '../fixtures/release.ts';
import { lab } from '../lab/environment.ts';
import { run } from '../lab/run.ts';
import { unseen, type Block } from './document.ts';

export interface TerminalOptions {
  /** By the variables that the document exports, the lab's values. */
  readonly values: Readonly<Record<string, string>>;
  /** Functions of the shell in place of programs that are not to be had here. */
  readonly standIns?: string;
  /** Once more on every command line: what the stand-ins need. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A copy of the checkout and a shell in it, with kubectl and helm as the cluster's admin: somebody types what a document says. */
export class Terminal {
  readonly directory = mkdtempSync(join(lab().directory, 'newcomer-'));
  readonly #options: TerminalOptions;
  readonly #state = join(this.directory, '.variables');
  readonly #recorded = join(this.directory, '.stood-in');

  constructor(options: TerminalOptions) {
    this.#options = options;
    const { repository } = lab();
    for (const path of ['infra', 'examples', 'serverless.yml', 'package.json'])
      cpSync(join(repository, path), join(this.directory, path), { recursive: true });
    for (const path of ['dist', 'node_modules'])
      symlinkSync(join(repository, path), join(this.directory, path));
    writeFileSync(this.#recorded, '');
  }

  /** What the stand-ins that call `note` were called with. */
  get noted(): readonly string[] {
    return readFileSync(this.#recorded, 'utf8').split('\n').slice(0, -1);
  }

  /** Types every command of the blocks; fails where one does, or where something else is seen than what the document says. */
  async follow(blocks: readonly Block[]): Promise<void> {
    const { values } = this.#options;
    let output = '';
    for (const { language, text, at } of blocks) {
      if (language === 'sh') output = await this.#type(text, at);
      else {
        const missing = unseen(text, output);
        if (missing.length > 0) throw new Error(`${at}: nobody sees\n${missing.join('\n')}\nbut\n${output}`);
      }
      const exported = [...text.matchAll(/^export (\w+)=/gm)].map(([, name = '']) => name);
      for (const name of exported) {
        const value = values[name];
        if (language !== 'sh' || value === undefined) continue;
        writeFileSync(this.#state, `export ${name}='${value}'\n`, { flag: 'a' });
      }
    }
    const all = blocks.map(({ text }) => text).join('\n');
    const unknown = Object.keys(values).filter((name) => !new RegExp(`^export ${name}=`, 'm').test(all));
    if (unknown.length > 0) throw new Error(`the document does not export ${unknown.join(', ')}`);
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }

  async #type(text: string, at: string): Promise<string> {
    const { standIns = '', environment = {} } = this.#options;
    const { adminKubeconfig, kubectl, repository, labState } = lab();
    const script = [
      'set -euo pipefail; exec 2>&1',
      `[ ! -e '${this.#state}' ] || . '${this.#state}'`,
      `note() { printf '%s\\n' "$*" >> '${this.#recorded}'; }`,
      // the lab's network is reached from its client alone
      'curl() { case "$*" in *127.0.0.1*) command curl "$@";; *) curl_of_the_lab "$@";; esac; }',
      `curl_of_the_lab() { LAB='${labState}' '${repository}/infra/lab/openstack/dataplane.sh' client curl "$@"; }`,
      standIns,
      `trap 'declare -p | grep -v "^declare -[aAir]" > "${this.#state}"' EXIT`,
      text,
    ].join('\n');
    const path = [dirname(kubectl), dirname(HELM), dirname(process.execPath), process.env['PATH']];
    const { code, stdout } = await run('bash', ['-c', `cd '${this.directory}'\n${script}`], {
      env: { ...environment, KUBECONFIG: adminKubeconfig, PATH: path.join(delimiter) },
      timeoutMs: 400_000,
    });
    console.log(`${at}\n${text.replace(/^/gm, '$ ')}\n${stdout}`);
    if (code !== 0) throw new Error(`${at}: ended with ${code}\n${text}\n${stdout}`);
    if (!existsSync(this.#state)) throw new Error(`${at}: the shell ended early`);
    return stdout;
  }
}
