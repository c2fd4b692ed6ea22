/** By these headers a simulator knows which request of which worker it answers. */
export const NUMBER = 'x-bench-request';
export const WORKER = 'x-bench-worker';
