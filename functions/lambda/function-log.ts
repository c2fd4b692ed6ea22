import { createLog } from '../log.ts';

/** The log of this process. */
export const log = createLog();
