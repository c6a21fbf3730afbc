import { expect, test } from 'vitest'
import { parseVitals } from '../../../bench/soak/measure.ts'

test('vitals are read out of an exposition', () => {
  const text =
    '# HELP rfqctl_process_open_fds x\nrfqctl_process_open_fds 23\nrfqctl_process_resident_memory_bytes 1e6\nrfqctl_process_cpu_seconds_total 1.5\n'
  expect(parseVitals(text)).toEqual({ descriptors: 23, residentBytes: 1_000_000, cpuS: 1.5 })
})

test('an exposition of another program is refused', () => {
  expect(() => parseVitals('up 1\n')).toThrow('the relay has no metric process_resident_memory_bytes')
})
