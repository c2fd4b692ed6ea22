import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

export interface FoundFile {
  readonly path: string;
  readonly text: string;
}

/**
 * The first of the paths that is there. Throws what node:fs throws when one is there but cannot be read.
 */
export async function firstFile(paths: readonly string[]): Promise<FoundFile | undefined> {
  for (const candidate of paths) {
    try {
      return { path: candidate, text: await readFile(candidate, 'utf8') };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  return undefined;
}

/** Where the openstack client looks for clouds.yaml and secure.yaml: here, the user's folder, the system's. */
export function cloudsPaths(name: 'clouds' | 'secure', env: NodeJS.ProcessEnv): readonly string[] {
  const config = env['XDG_CONFIG_HOME'] ?? path.join(env['HOME'] ?? homedir(), '.config');
  const folders = [process.cwd(), path.join(config, 'openstack'), '/etc/openstack'];
  return folders.flatMap((folder) => [path.join(folder, `${name}.yaml`), path.join(folder, `${name}.yml`)]);
}
