import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const CONFORMANCE = 'test/conformance/**/*.test.ts'
const HOSTILE = 'test/hostile/suites/*.test.ts'
const HOSTILE_SOAK = 'test/hostile/soak/*.test.ts'

export default defineConfig({
  test: {
    reporters: ['dot'],
    silent: 'passed-only',
    coverage: {
      provider: 'v8',
      include: ['src/domain/**'],
      exclude: ['src/domain/contract-abi.ts'],
      reporter: ['text'],
      thresholds: { branches: 100, functions: 100, lines: 100, statements: 100 },
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'rooms',
          include: ['test/**/*.test.ts'],
          exclude: [CONFORMANCE, HOSTILE, HOSTILE_SOAK],
          // Two at least: on two cores one worker leaves a core idle, while files wait for processes that they start.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          testTimeout: 20_000,
          hookTimeout: 30_000,
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
          sequence: { groupOrder: 1 },
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'hostile',
          include: [HOSTILE],
          // Each file attacks relays of its own. More of them at a time would only measure one another.
          maxWorkers: 2,
          testTimeout: 90_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: { name: 'hostile-soak', include: [HOSTILE_SOAK], sequence: { groupOrder: 3 } },
      },
    ],
  },
})
