import { chmodSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, unlinkSync } from 'node:fs'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { makePrivateDir } from '@rfqctl/lib/private-file'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Hex } from '@rfqctl/protocol/domain/units'
import {
  decodeSignerQuestion,
  encodeSignerAnswer,
  type SignerAnswer,
  type SignerQuestion,
} from '@rfqctl/protocol/wire/signing'
import type { ResolutionSigner } from '../../core/ports/chain.ts'
import type { Log } from '../../core/ports/runtime.ts'
import { readLine } from './line.ts'

/** A relay asks one question per connection. */
const MAX_CONNECTIONS = 64

/** Milliseconds for a question to arrive. */
const QUESTION_MS = 5_000

/** Milliseconds for a connection: no relay waits longer for an answer. */
const CONNECTION_MS = 15_000

/**
 * Answers the questions of a relay on a Unix socket that only the owner of this process can open, and its group where
 * `isForGroup`: one line each way. Replaces what a former process left at the path. Fails with `EADDRINUSE` while
 * another process answers there, and with `EACCES` where the folder of a group's socket is closed to it, or open to
 * more than it needs.
 */
export async function serveSigner(parts: {
  signer: ResolutionSigner
  path: string
  isForGroup?: boolean
  log: Log
}): Promise<{ close: () => Promise<void> }> {
  const { signer, path, isForGroup = false, log } = parts
  if (isForGroup) makeGroupDir(dirname(path))
  else makePrivateDir(dirname(path))
  await assertFree(path)
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    const timer = setTimeout(() => socket.destroy(), CONNECTION_MS)
    socket.on('close', () => {
      clearTimeout(timer)
      open.delete(socket)
    })
    void answer(socket)
  })
  server.maxConnections = MAX_CONNECTIONS

  async function answer(socket: Socket): Promise<void> {
    try {
      const question = decodeSignerQuestion(await readLine(socket, QUESTION_MS))
      // A client that keeps its own end open does not occupy a connection.
      socket.end(`${encodeSignerAnswer(await answerTo(question))}\n`, () => socket.destroy())
    } catch (fault) {
      log.warn('question_dropped', { fault })
      socket.destroy()
    }
  }

  async function answerTo(question: SignerQuestion): Promise<SignerAnswer> {
    const { address } = signer
    try {
      return { address, signature: await signatureFor(question), refusal: null }
    } catch (fault) {
      if (fault instanceof RfqError && fault.code === 'signer_refused') {
        return { address, signature: null, refusal: { code: fault.code, detail: fault.message } }
      }
      log.error('not_signed', { fault })
      const detail = fault instanceof RfqError ? fault.message : 'The signer failed. The fault was logged.'
      return { address, signature: null, refusal: { code: 'signer_unavailable', detail } }
    }
  }

  async function signatureFor(question: SignerQuestion): Promise<Hex | null> {
    if (question.ask === 'address') return null
    return question.ask === 'probe' ? signer.probe(question.domain) : signer.sign(question)
  }

  await listenPrivately(server, path, isForGroup ? 0o660 : 0o600)
  return {
    close: () =>
      new Promise((resolve) => {
        unlinkSync(path)
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}

/** A folder that its group may enter but not change: a writer could put a socket of its own there. */
function makeGroupDir(dir: string): void {
  if (mkdirSync(dir, { recursive: true, mode: 0o750 }) !== undefined) chmodSync(dir, 0o750)
  const mode = statSync(dir).mode & 0o777
  if ((mode & 0o037) === 0o010) return
  throw Object.assign(new Error(`${dir} has mode 0${mode.toString(8)}`), { code: 'EACCES' })
}

/** Creates the socket where no one else has access, and renames it once its mode is right. */
async function listenPrivately(server: Server, path: string, mode: number): Promise<void> {
  const dir = mkdtempSync(`${path}.`)
  try {
    const draft = join(dir, 's')
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(draft, resolve)
    })
    chmodSync(draft, mode)
    renameSync(draft, path)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** The socket of a killed process does not block the path. */
async function assertFree(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  const isInUse = !found.isSocket() || (await isAnswered(path))
  if (isInUse) throw Object.assign(new Error(`${path} is in use`), { code: 'EADDRINUSE' })
}

const isAnswered = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createConnection(path)
    probe.on('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.on('error', () => resolve(false))
  })
