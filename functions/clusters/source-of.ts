import type { Source } from '../../shared/clusters/entry.ts';
import { FolderSource } from '../../shared/clusters/folder.ts';
import { clustersFrom, NotAllowed, refusalOf } from '../../shared/config/read-value.ts';
import { ReconcileError } from '../../shared/model/errors.ts';

/** Where --clusters says that the texts of the entries are. Throws CONFIG_INVALID. */
export function sourceOf(from: string): Source {
  const where = clustersFrom(from);
  if (where instanceof NotAllowed)
    throw new ReconcileError('CONFIG_INVALID', refusalOf('--clusters', from, where));
  if ('parameters' in where)
    throw new ReconcileError(
      'CONFIG_INVALID',
      `--clusters = "${from}" is for the functions on AWS alone: give folder:PATH here`,
    );
  return new FolderSource(where.folder);
}
