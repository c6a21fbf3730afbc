import type { Duplex } from 'node:stream'

/** Bounds questions and answers, in bytes. */
const MAX_LINE_BYTES = 8_192

/**
 * The first line of a stream; the rest is not read. Fails when it is too long, and with `ETIMEDOUT` when it is incomplete
 * after `timeoutMs`.
 */
export function readLine(stream: Duplex, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0)
    const timer = setTimeout(() => stream.destroy(late(timeoutMs)), timeoutMs)
    stream.on('error', reject)
    stream.on('close', () => {
      clearTimeout(timer)
      reject(new Error('the connection was closed'))
    })
    stream.on('data', function take(bytes: Buffer) {
      read = Buffer.concat([read, bytes])
      const end = read.indexOf('\n')
      if (end > MAX_LINE_BYTES || (end < 0 && read.length > MAX_LINE_BYTES)) {
        stream.destroy(new Error('the line is too long'))
      } else if (end >= 0) {
        clearTimeout(timer)
        stream.off('data', take).pause()
        resolve(read.toString('utf8', 0, end))
      }
    })
  })
}

const late = (timeoutMs: number): Error =>
  Object.assign(new Error(`no line within ${timeoutMs} ms`), { code: 'ETIMEDOUT' })
