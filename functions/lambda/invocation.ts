import type { Context } from 'aws-lambda';
import { logInvocation } from './function-log.ts';
import { publishMetrics } from './function-metrics.ts';

type Handler<Event, Answer> = (event: Event, context: Context) => Promise<Answer>;

/** The handler of a function: the lines of its log name the invocation, and its metrics are written when it ends. */
export function asFunction<Event, Answer>(handle: Handler<Event, Answer>): Handler<Event, Answer> {
  return async (event, context) => {
    logInvocation(context);
    try {
      return await handle(event, context);
    } finally {
      publishMetrics();
    }
  };
}
