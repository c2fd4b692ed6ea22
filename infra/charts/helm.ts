/** The helm that the chart is checked and rendered with: built once from its Go module, kept by version. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const VERSION = 'v4.3.1';

/** Path of the program. The first time, it is built: six minutes on two cores, and Go 1.26 is needed. */
export function helm(): string {
  const { LEVELSET_CACHE, XDG_CACHE_HOME = join(homedir(), '.cache') } = process.env;
  const folder = join(LEVELSET_CACHE ?? join(XDG_CACHE_HOME, 'levelset'), `helm-${VERSION}`);
  const program = join(folder, 'helm');
  if (existsSync(program)) return program;
  console.log(`building helm ${VERSION}: six minutes the first time`);
  const { status, error } = spawnSync('go', ['install', `helm.sh/helm/v4/cmd/helm@${VERSION}`], {
    env: { ...process.env, CGO_ENABLED: '0', GOBIN: folder, GOFLAGS: '' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error(`helm ${VERSION} could not be built: ${error?.message ?? 'see above'}`);
  return program;
}
