import { isError, ReconcileError } from '../../model/errors.ts';
import type { Http } from '../kube-http.ts';

/**
 * Requests about Leases and ConfigMaps in the namespace of the state. CONFIG_INVALID where there is no such namespace: a POST
 * is answered with 404 for nothing else.
 */
export function stateHttp(http: Http): Http {
  return async (request) => {
    try {
      return await http(request);
    } catch (error) {
      if (!isError(error) || request.method !== 'POST' || error.context.status !== 404) throw error;
      const remedy = 'create the namespace, or name another one with --state-namespace';
      throw new ReconcileError('CONFIG_INVALID', `${error.message}; ${remedy}`, error.context);
    }
  };
}
