import type { Log, LogFields } from '../../src/relay/core/ports/runtime.ts'

/** What was logged, oldest first. */
export type FakeLog = Log & { lines: { level: 'info' | 'warn' | 'error'; event: string; fields: LogFields }[] }

export function createFakeLog(): FakeLog {
  const lines: FakeLog['lines'] = []
  return {
    lines,
    info: (event, fields = {}) => void lines.push({ level: 'info', event, fields }),
    warn: (event, fields = {}) => void lines.push({ level: 'warn', event, fields }),
    error: (event, fields = {}) => void lines.push({ level: 'error', event, fields }),
  }
}
