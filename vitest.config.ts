import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** What starts processes, chains or whole markets, and takes seconds for it; whatever is not named so is a unit test. */
const INTEGRATION = 'test/**/*.int.test.{ts,tsx}'
/** Of these, what a newcomer's `npm test` runs: the build, a chain, a deployment, and one trade from request to payout. */
const SMOKE = 'test/**/*.smoke.test.ts'
const CLUSTER = 'test/cluster/**/*.test.ts'
const CONFORMANCE = 'test/conformance/**/*.test.ts'
/** Clients that nobody here wrote. */
const CLIENTS = 'test/clients/**/*.test.ts'
/** The pages in a browser; skipped visibly where there is none. */
const BROWSER = 'test/browser/**/*.test.ts'
const HOSTILE = 'test/hostile/suites/*.test.ts'
const HOSTILE_SOAK = 'test/hostile/soak/*.test.ts'

/** On two cores one worker leaves a core idle, while files wait for processes that they start. */
const WORKERS = Math.max(2, availableParallelism() - 1)
/** Only what hangs takes as long as this, in milliseconds: a machine that is held back is no reason to fail. */
const LIMITS = { testTimeout: 120_000, hookTimeout: 120_000 }

export default defineConfig({
  test: {
    reporters: ['dot'],
    silent: 'passed-only',
    // How long something is waited for that must come, in milliseconds: only what never comes takes it.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    coverage: {
      provider: 'v8',
      include: ['src/protocol/{domain,contracts}/**'],
      exclude: ['src/protocol/contracts/abi.ts'],
      reporter: ['text'],
      thresholds: { branches: 100, functions: 100, lines: 100, statements: 100 },
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [INTEGRATION, SMOKE, BROWSER, CLIENTS, CLUSTER, CONFORMANCE, HOSTILE, HOSTILE_SOAK],
          // Files share what they import, and must leave nothing behind: loading it for each of 250 took longer than the tests.
          isolate: false,
          maxWorkers: WORKERS,
          ...LIMITS,
        },
      },
      {
        extends: true,
        test: {
          name: 'smoke',
          include: [SMOKE],
          isolate: false,
          maxWorkers: WORKERS,
          ...LIMITS,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: [INTEGRATION],
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
          ...LIMITS,
        },
      },
      {
        extends: true,
        test: {
          name: 'clients',
          include: [CLIENTS],
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
          ...LIMITS,
        },
      },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: [CLUSTER],
          maxWorkers: WORKERS,
          sequence: { groupOrder: 2 },
          ...LIMITS,
        },
      },
      {
        extends: true,
        test: {
          name: 'conformance',
          include: [CONFORMANCE],
          globalSetup: ['test/conformance/harness/global-setup.ts'],
          setupFiles: ['test/conformance/harness/file-setup.ts'],
          // Files share what they import and nothing else: loading it anew for each took as long as the tests.
          isolate: false,
          // Its tests and files run side by side: they wait for deadlines more than they compute.
          maxConcurrency: 12,
          maxWorkers: 4,
          sequence: { groupOrder: 3 },
          ...LIMITS,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [BROWSER],
          // A browser takes a core for itself.
          maxWorkers: 1,
          sequence: { groupOrder: 6 },
          ...LIMITS,
        },
      },
      {
        extends: true,
        test: {
          name: 'hostile',
          include: [HOSTILE],
          // Each file attacks relays of its own. More of them at a time would only measure one another.
          maxWorkers: 2,
          sequence: { groupOrder: 4 },
          ...LIMITS,
        },
      },
      {
        extends: true,
        test: { name: 'hostile-soak', include: [HOSTILE_SOAK], sequence: { groupOrder: 5 }, ...LIMITS },
      },
    ],
  },
})
