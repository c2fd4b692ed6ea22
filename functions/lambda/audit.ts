import { auditWebhook } from '../audit-webhook.ts';
import { httpFunction } from './http-function.ts';
import { receiving } from './receiving.ts';

/** POST /audit/:cluster */
export const handler = httpFunction(async (log) => auditWebhook(await receiving(log)));
