import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Longer than a relay may drain. */
const STOP_MS = 25_000
const PROBE = new URL('./probe.mjs', import.meta.url).href

/** The Node flags of every process of a benchmark: its probe, and memory that can be tidied before it is weighed. */
export const NODE_FLAGS = ['--enable-source-maps', '--expose-gc', '--import', PROBE]

/** Starts a module of this folder's neighbours, such as `load/http-load`. */
export const startWorker = (module) =>
  attach(
    spawn(process.execPath, [...NODE_FLAGS, fileURLToPath(new URL(`../${module}.mjs`, import.meta.url))], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    }),
  )

/** Calls what a process offers. A process that ends fails the calls that still wait. */
export function attach(child) {
  const waiting = new Map()
  let calls = 0
  child.on('message', (answer) => {
    const caller = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('fault' in answer) caller?.reject(new Error(answer.fault))
    else caller?.resolve(answer.result)
  })
  const exited = new Promise((resolve) => child.on('exit', () => resolve()))
  void exited.then(() => {
    for (const { reject } of waiting.values()) reject(new Error(`process ${child.pid} ended`))
  })
  return {
    pid: child.pid,
    call: (name, ...[input]) =>
      new Promise((resolve, reject) => {
        calls += 1
        waiting.set(calls, { resolve, reject })
        child.send({ id: calls, name, input })
      }),
    stop: async () => {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await exited
      clearTimeout(timer)
    },
  }
}
