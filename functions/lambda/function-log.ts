import type { Context } from 'aws-lambda';
import { createLog } from '../log.ts';
import type { Attributes } from '../../shared/model/resources.ts';

let invocation: Attributes = {};
let isCold = true;

/** The log of this process. Each line says in which invocation it was written. POWERTOOLS_LOG_LEVEL is its level. */
export const log = createLog(undefined, () => invocation);

/** From here on all lines are of this invocation. */
export function logInvocation({ awsRequestId, functionVersion }: Context): void {
  invocation = { function_request_id: awsRequestId, function_version: functionVersion, cold_start: isCold };
  isCold = false;
}
