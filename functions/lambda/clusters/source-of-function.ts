import type { TextName } from '../../../shared/clusters/entry.ts';
import { clustersFrom, NotAllowed, refusalOf } from '../../../shared/config/read-value.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { log } from '../function-log.ts';
import { ParameterSource } from './parameter-source.ts';

let source: ParameterSource | undefined;

/** The registry of this process, in which all that a function has of it shares what was read. `only`: see ParameterSource. Throws CONFIG_INVALID. */
export function sourceOfFunction(env: NodeJS.ProcessEnv, only?: readonly TextName[]): ParameterSource {
  const from = env['LEVELSET_CLUSTERS'];
  const where = clustersFrom(from);
  if (where instanceof NotAllowed || !('parameters' in where)) {
    const allowed = new NotAllowed('parameters:PATH, such as parameters:/levelset/prod');
    throw new ReconcileError('CONFIG_INVALID', refusalOf('--clusters', from, allowed));
  }
  source ??= new ParameterSource(where.parameters, env, log, only);
  return source;
}
