import type { Context } from 'aws-lambda';
import { createLog } from '../log.ts';
import type { Attributes } from '../../shared/model/resources.ts';

let current: Context | undefined;
let invocation: Attributes = {};
let isCold = true;

/** The log of this process. Each line says in which invocation it was written. POWERTOOLS_LOG_LEVEL is its level. */
export const log = createLog(undefined, () => invocation);

export function logInvocation(context: Context): void {
  if (context === current) return;
  current = context;
  const { awsRequestId, functionVersion } = context;
  invocation = { function_request_id: awsRequestId, function_version: functionVersion, cold_start: isCold };
  isCold = false;
}
