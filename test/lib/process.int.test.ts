import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commandLine, endProcess, isRunning, signal } from '../../src/lib/process.ts'

/** A process with a word in its command line that says when it is ready. */
async function startChild(script: string) {
  const child = spawn(process.execPath, ['-e', `${script}; console.log('ready')`, 'marker-word'])
  await once(child.stdout, 'data')
  return { child, pid: child.pid as number }
}

describe('a process', () => {
  it('runs until it is ended', async () => {
    const { pid } = await startChild('setInterval(() => {}, 1000)')
    expect(isRunning(pid)).toBe(true)
    expect(commandLine(pid)).toContain('marker-word')
    await endProcess(pid)
    expect(isRunning(pid)).toBe(false)
    expect(commandLine(pid)).toBe('')
  })

  it('that has ended does not stop one who ends it again', async () => {
    const { child, pid } = await startChild('')
    await once(child, 'exit')
    await endProcess(pid)
  })

  it.runIf(existsSync('/proc/self/stat'))(
    'does not run any more while its parent has yet to take note of its end',
    async () => {
      const parent = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'])
      const [output] = (await once(parent.stdout, 'data')) as [Buffer]
      const pid = Number(output.toString())
      // A shell takes note of its children's ends; the program that it becomes does not.
      await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim()).toBe('sleep')
      await endProcess(pid)
      expect(signal(pid, 0)).toBe(true)
      expect(isRunning(pid)).toBe(false)
      parent.kill('SIGKILL')
    },
  )
})
