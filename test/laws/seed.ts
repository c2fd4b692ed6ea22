import fc from 'fast-check';

/** The same worlds every time, so that a change is blamed for what it did; LAWS_SEED=N for others. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['LAWS_SEED'] ?? 20_261_121) });
