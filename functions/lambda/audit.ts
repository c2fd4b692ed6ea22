import { auditWebhook } from '../audit-webhook.ts';
import { httpFunction } from './http-function.ts';
import { receive } from './receiving.ts';

/** POST /audit/:cluster */
export const handler = httpFunction((env) => receive(env, auditWebhook));
