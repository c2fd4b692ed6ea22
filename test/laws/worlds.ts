import fc from 'fast-check';

/** The worlds of each law: three in `npm test`, 60 in `npm run thorough`, which says so before a law is read; LAWS_RUNS=N for more there. */
export const { numRuns: WORLDS = 3 } = fc.readConfigureGlobal();
/** Whether a law may take minutes. */
export const THOROUGH = WORLDS > 3;
