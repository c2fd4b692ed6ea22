import { auditWebhook } from '../audit-webhook.ts';
import { httpFunction } from './http-function.ts';
import { receiving } from './receiving.ts';

/** POST /audit/:cluster */
export const handler = httpFunction((env) => Promise.resolve(auditWebhook(receiving(env))));
