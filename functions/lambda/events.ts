import { events } from '../events.ts';
import { httpFunction } from './http-function.ts';
import { receive } from './receiving.ts';

/** POST /events/:cluster */
export const handler = httpFunction((env) => receive(env, events));
