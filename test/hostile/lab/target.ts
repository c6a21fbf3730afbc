import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { keep } from '../../kit/keep.ts'
import type { Maker, MakerKey } from '../../kit/maker.ts'
import type { Ready } from '../../kit/relay-process.ts'
import { createService, type Service } from '../../kit/service.ts'
import { createStranger, type Stranger } from './stranger.ts'

/** What tells a process of its own how to reach a relay. */
export type Facts = { ready: Ready; pid: number; keys: readonly MakerKey[]; operatorToken: string }

/** A relay as its attackers, its honest users and its judge know it. */
export type Target = Facts & {
  /** The honest way in, from 127.0.0.1. */
  service: Service
  /** Somebody at an address that nobody has used. */
  stranger: () => Stranger
  /** A maker with a key that nobody has used; on a chain it has a thousand dollars. */
  maker: (options?: Parameters<Service['maker']>[0]) => Promise<Maker>
  /** Reads as the operator; the status is all that tells of a refusal. */
  operator: <Body = Record<string, unknown>>(path: string) => Promise<{ status: number; body: Body }>
  /** Resident memory of the relay, in MiB. */
  residentMiB: () => number
  /** Processor time that the relay has taken since it began, in milliseconds: what else the machine does is not in it. */
  cpuMs: () => number
  /** Fails unless the relay lives, answers, and holds no more memory than it may. */
  assertServes: () => Promise<void>
}

/** What a relay of 512 MiB of heap may hold resident, whatever is done to it. */
const MOST_RESIDENT_MIB = 900

/** What a relay does at most before it answers whether it is alive, once an attack is over, in milliseconds of its processor. */
const ALIVE_CPU_MS = 5_000

/** A relay that can be attacked. `from`: the second byte of the addresses that attackers of this process have. */
export function createTarget(facts: Facts, from = 1): Target {
  const { ready, pid, keys, operatorToken } = facts
  const service = createService(ready, [...keys])
  const present = new Set<Stranger>()
  keep(() => {
    for (const { close } of present) close()
  })
  let strangers = 0

  const residentMiB = () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

  // Behind the name, which may hold blanks, user and system time are the 12th and 13th field, in hundredths of a second.
  const cpuMs = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  }

  const target: Target = {
    ...facts,
    cpuMs,
    service,
    stranger: () => {
      strangers += 1
      const stranger = createStranger(ready.url, `127.${from}.${(strangers >> 8) & 255}.${strangers & 255}`)
      const close = () => {
        present.delete(stranger)
        stranger.close()
      }
      present.add(stranger)
      return { ...stranger, close }
    },
    maker: service.maker,
    operator: async <Body>(path: string) => {
      const { status, body } = await service.call<Body>('GET', path, {
        headers: { authorization: `Bearer ${operatorToken}` },
      })
      return { status, body }
    },
    residentMiB,
    assertServes: async () => {
      const before = cpuMs()
      assert.equal((await service.call('GET', '/healthz')).status, 200)
      assert(cpuMs() - before < ALIVE_CPU_MS)
      const resident = residentMiB()
      assert(resident < MOST_RESIDENT_MIB, `it holds ${Math.round(resident)} MiB`)
    },
  }
  return target
}
