import { readFile } from 'node:fs/promises';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { unpack, type Bundle } from './bundle.ts';

/** The bundle in a file. Throws CONFIG_INVALID if it cannot be read or is none. */
export async function readBundle(file: string): Promise<Bundle> {
  return unpack(file, await contentOf(file));
}

async function contentOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new ReconcileError(
      'CONFIG_INVALID',
      `${file} cannot be read: ${reason}; give a file that levelset support-bundle has written`,
    );
  }
}
