import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'

/** Runs a script on a folder until it has printed so many lines, kills it without warning, and returns all that it printed, decoded. */
export async function runAndKill<Line>(script: string, dir: string, count: number): Promise<Line[]> {
  const child = spawn(process.execPath, [script, dir], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    if (output.split('\n').length > count) child.kill('SIGKILL')
  })
  await once(child, 'close')
  expect(child.signalCode).toBe('SIGKILL')
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}
