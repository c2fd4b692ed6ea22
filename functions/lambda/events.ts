import { events } from '../events.ts';
import { httpFunction } from './http-function.ts';
import { receiving } from './receiving.ts';

/** POST /events/:cluster */
export const handler = httpFunction((env) => Promise.resolve(events(receiving(env))));
