import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commandLine, endProcess, isRunning, signal } from '../../src/devnet/process.ts'

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
      const shell = spawn('/bin/sh', ['-c', '"$0" -e "process.exit()" & echo $!; exec sleep 60', process.execPath])
      const [output] = (await once(shell.stdout, 'data')) as [Buffer]
      const pid = Number(output.toString())
      await endProcess(pid)
      expect(signal(pid, 0)).toBe(true)
      expect(isRunning(pid)).toBe(false)
      shell.kill('SIGKILL')
    },
  )
})
