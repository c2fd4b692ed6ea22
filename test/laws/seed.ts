import fc from 'fast-check';

const { numRuns = 30 } = fc.readConfigureGlobal();

/**
 * The worlds of each law: thirty in `npm test`, a thousand in `npm run thorough`, which says so before a law is read.
 * Always the same, so that a failure belongs to the change; LAWS_SEED=N for others.
 */
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  numRuns,
  seed: Number(process.env['LAWS_SEED'] ?? 20_261_121),
});

/** Whether a law may take minutes. */
export const THOROUGH = numRuns >= 1000;
