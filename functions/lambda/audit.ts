import { auditWebhook } from '../audit-webhook.ts';
import { httpFunction } from './http-function.ts';
import { receive } from './receiving.ts';

export const handler = httpFunction((env) => receive(env, auditWebhook));
