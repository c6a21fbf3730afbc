import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['dot'],
    silent: 'passed-only',
    coverage: {
      provider: 'v8',
      include: ['src/domain/**'],
      exclude: ['src/domain/contract-abi.ts'],
      reporter: ['text'],
      thresholds: { branches: 100, functions: 100, lines: 100, statements: 100 },
    },
  },
})
