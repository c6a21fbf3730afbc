import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { type FinalOutcome, manualResolution } from '../../../src/protocol/domain/resolution.ts'
import { seriesIdOf } from '../../../src/protocol/domain/series.ts'
import { twapWindow } from '../../../src/protocol/domain/twap.ts'
import type { Address, Hex, ResolutionBps, StrikeBps } from '../../../src/protocol/domain/units.ts'
import { encodeSignerQuestion } from '../../../src/protocol/wire/signing.ts'
import { connectSigner } from '../../../src/relay/adapters/signer/client.ts'
import { createLimitedSigner } from '../../../src/relay/adapters/signer/limits.ts'
import { readLine } from '../../../src/relay/adapters/signer/line.ts'
import { createOwnPrice, type OwnPrice } from '../../../src/relay/adapters/signer/own-price.ts'
import { serveSigner } from '../../../src/relay/adapters/signer/server.ts'
import { createSignedPrices } from '../../../src/relay/adapters/signer/signed-prices.ts'
import { createResolutionSigner } from '../../../src/relay/adapters/signing.ts'
import { LIVE_TWAP } from '../../../src/relay/config/definitions.ts'
import type { ResolutionSigner } from '../../../src/relay/core/ports/chain.ts'
import { newFolder, removeFolder } from '../../kit/folder.ts'
import { DOMAIN, describeResolutionSigner, REQUEST, TERMS } from '../../ports/resolution-signer.suite.ts'
import { createFakeChain, type FakeChain } from '../../support/fake-chain.ts'
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts'
import { createFakeLog } from '../../support/fake-log.ts'

const KEY: Hex = `0x${'01'.repeat(32)}`
const OTHER: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

let folder: string
let clock: FakeClock
let chain: FakeChain
let log: ReturnType<typeof createFakeLog>

beforeEach(async () => {
  folder = newFolder()
  clock = createFakeClock(TERMS.expiry * 1_000)
  chain = createFakeChain({ clock })
  log = createFakeLog()
  for (const strike of [4_500, 5_500]) register(strike)
})
afterEach(async () => {
  vi.useRealTimers()
  removeFolder(folder)
})

const termsOf = (strike: number) => ({ ...TERMS, strikeBps: strike as StrikeBps })

function register(strike: number): void {
  const terms = termsOf(strike)
  const seriesId = seriesIdOf(terms)
  chain.registered.set(seriesId, { ...terms, seriesId, halted: false, resolutionBps: null })
}

const open = (key = KEY, ownPrice: OwnPrice | null = null) =>
  createLimitedSigner({
    signer: createResolutionSigner(key),
    chain,
    domain: DOMAIN,
    prices: createSignedPrices(join(folder, 'prices')),
    ownPrice,
    clock,
    log,
    maxValidityS: 3_600,
  })

async function serve(signer: ResolutionSigner = open()) {
  const path = join(folder, 'signer.sock')
  const { close } = await serveSigner({ signer, path, log })
  return { path, close }
}

describeResolutionSigner('with limits of its own', async () => {
  const signer = open()
  return { signer, address: signer.address, close: async () => {} }
})

describeResolutionSigner('in a process of its own', async () => {
  const { path, close } = await serve()
  return { signer: await connectSigner(path), address: createResolutionSigner(KEY).address, close }
})

const priced = (resolutionBps: number, strike = 4_500) => ({
  ...REQUEST,
  terms: termsOf(strike),
  attestation: {
    ...REQUEST.attestation,
    seriesId: seriesIdOf(termsOf(strike)),
    resolutionBps: resolutionBps as ResolutionBps,
  },
})

describe('a signer with limits of its own refuses', () => {
  const seriesId = REQUEST.attestation.seriesId
  const cases: [string, () => Promise<unknown>, RegExp][] = [
    ['another chain', () => open().sign({ ...REQUEST, domain: { ...DOMAIN, chainId: 1 } }), /another chain/],
    [
      'another core',
      () => open().sign({ ...REQUEST, domain: { ...DOMAIN, verifyingContract: OTHER } }),
      /another chain/,
    ],
    ['a probe for another core', () => open().probe({ ...DOMAIN, verifyingContract: OTHER }), /another chain/],
    ['terms of another series', () => open().sign({ ...REQUEST, terms: termsOf(5_500) }), /not those of the series/],
    [
      'a series that has not expired by the chain',
      () => {
        chain.aheadS = -1
        return open().sign(REQUEST)
      },
      /chain time is/,
    ],
    [
      'one that has not by its own clock, however far the chain has gone',
      () => {
        clock = createFakeClock((TERMS.expiry - 1) * 1_000)
        return open().sign(REQUEST)
      },
      /clock is at/,
    ],
    [
      'a signature that is valid for too long',
      () => {
        const validUntil = TERMS.expiry + 3_601
        return open().sign({ ...REQUEST, attestation: { ...REQUEST.attestation, validUntil } })
      },
      /later than 20/,
    ],
    [
      'a series that the chain does not know',
      () => {
        chain.registered.clear()
        return open().sign(REQUEST)
      },
      /does not know/,
    ],
    [
      'one that is settled',
      () => {
        chain.registered.set(seriesId, { ...TERMS, seriesId, halted: false, resolutionBps: 7 as ResolutionBps })
        return open().sign(REQUEST)
      },
      /settled at 7/,
    ],
  ]
  it.each(cases)('%s, says why, and binds itself to no price', async (_, ask, reason) => {
    await expect(ask()).rejects.toMatchObject({ code: 'signer_refused', message: expect.stringMatching(reason) })
    expect(log.lines).toMatchObject([{ level: 'warn', event: 'signature_refused' }])
    expect(existsSync(join(folder, 'prices'))).toBe(false)
  })

  it('a second price for a series, also after a restart, and signs the first one again with a later end', async () => {
    await open().sign(priced(59))
    await expect(open().sign(priced(60))).rejects.toMatchObject({ code: 'signer_refused' })
    const later = priced(59)
    const attestation = { ...later.attestation, validUntil: later.attestation.validUntil + 60 }
    expect(await open().sign({ ...later, attestation })).toMatch(/^0x/)
  })

  it('another price for another series of the same market and expiry', async () => {
    await open().sign(priced(59))
    await expect(open().sign(priced(60, 5_500))).rejects.toMatchObject({
      code: 'signer_refused',
      message: 'The signer has signed 59 hundredths of a dollar for this market and expiry, not 60.',
    })
    expect(await open().sign(priced(59, 5_500))).toMatch(/^0x/)
  })

  it('all prices but one of several that come at the same time', async () => {
    const signers = [open(), open(), open()]
    const asked = Array.from({ length: 30 }, (_, n) => signers[n % 3]?.sign(priced(n)))
    const done = await Promise.allSettled(asked)
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('has what it signs on its disk, for its owner alone, before it signs', async () => {
    const disk = join(folder, 'prices')
    const kept: unknown[] = []
    const signer = createResolutionSigner(KEY)
    const looking: ResolutionSigner = {
      ...signer,
      sign: async (request) => {
        for (const name of readdirSync(disk)) {
          kept.push([statSync(join(disk, name)).mode & 0o777, JSON.parse(readFileSync(join(disk, name), 'utf8'))])
        }
        return signer.sign(request)
      },
    }
    const prices = createSignedPrices(disk)
    await createLimitedSigner({
      signer: looking,
      chain,
      domain: DOMAIN,
      prices,
      ownPrice: null,
      clock,
      log,
      maxValidityS: 900,
    }).sign(REQUEST)
    const { conditionId, yesTokenId, expiry } = TERMS
    expect(kept).toEqual([[0o600, { conditionId, yesTokenId, expiry, resolutionBps: 59 }]])
  })

  it('anything when what it has signed cannot be read', async () => {
    await open().sign(REQUEST)
    const [name = ''] = readdirSync(join(folder, 'prices'))
    writeFileSync(join(folder, 'prices', name), '{')
    await expect(open().sign(REQUEST)).rejects.toThrow('not readable JSON')
  })
})

describe('a signer with sources of its own', () => {
  const gives =
    (resolutionBps: number): OwnPrice =>
    async () => ({ ...manualResolution(resolutionBps as ResolutionBps, TERMS.expiry), kind: 'resolved' })
  const kept = () => createSignedPrices(join(folder, 'prices'))

  it.each([58, 59, 60])('signs 59 where they give %i: they may be a cent apart', async (own) => {
    expect(await open(KEY, gives(own)).sign(priced(59))).toMatch(/^0x/)
    expect(await kept().find(TERMS)).toBe(59)
  })

  it.each([57, 61, 0, 100])('refuses 59 where they give %i, and binds itself to nothing', async (own) => {
    await expect(open(KEY, gives(own)).sign(priced(59))).rejects.toMatchObject({
      code: 'signer_refused',
      message: `The signer's own sources give ${own} hundredths of a dollar, not 59.`,
    })
    expect(log.lines).toMatchObject([{ level: 'warn', event: 'signature_refused' }])
    expect(await kept().find(TERMS)).toBeNull()
  })

  it('refuses where they leave the price to a person, until its own person has agreed to one, and signs no other', async () => {
    const unsure: OwnPrice = async () => ({ kind: 'review', reason: 'too_few_points' })
    await expect(open(KEY, unsure).sign(priced(59))).rejects.toMatchObject({
      code: 'signer_refused',
      message: expect.stringContaining('too_few_points'),
    })
    await kept().agree(TERMS, 45 as ResolutionBps)
    expect(await open(KEY, unsure).sign(priced(45))).toMatch(/^0x/)
    for (const near of [44, 46, 59]) {
      await expect(open(KEY, unsure).sign(priced(near))).rejects.toMatchObject({ code: 'signer_refused' })
    }
  })

  it('signs what it has signed without asking them again, also when they are gone', async () => {
    await open(KEY, gives(59)).sign(priced(59))
    const gone: OwnPrice = () => Promise.reject(new RfqError('signer_unavailable'))
    expect(await open(KEY, gone).sign(priced(59, 5_500))).toMatch(/^0x/)
    await expect(open(KEY, gone).sign(priced(58))).rejects.toMatchObject({ code: 'signer_refused' })
  })

  it('signs nothing while they do not answer, and says so in the words of a process that cannot sign', async () => {
    const gone: OwnPrice = () => Promise.reject(new RfqError('signer_unavailable', { detail: 'no source' }))
    const { path, close } = await serve(open(KEY, gone))
    await expect((await connectSigner(path)).sign(priced(59))).rejects.toMatchObject({
      code: 'signer_unavailable',
      message: expect.stringContaining('no source'),
    })
    expect(await kept().find(TERMS)).toBeNull()
    await close()
  })

  it('asks them for nothing that it refuses anyway', async () => {
    const untouched: OwnPrice = () => Promise.reject(new Error('asked'))
    await expect(open(KEY, untouched).sign({ ...REQUEST, terms: termsOf(5_500) })).rejects.toMatchObject({
      code: 'signer_refused',
    })
  })
})

describe("the price of a signer's own sources", () => {
  const { windowStart } = twapWindow(TERMS.expiry)
  /** A point a minute, at 45 cents. */
  const points = Array.from({ length: 31 }, (_, n) => ({ t: windowStart + n * 60, p: 0.45 }))

  function ownPrice({ history = points, outcome = null as FinalOutcome | null | Error, lagMs = 0 } = {}) {
    const asked: unknown[] = []
    const read = createOwnPrice({
      prices: {
        history: async (...args) => {
          asked.push(args)
          return history
        },
      },
      markets: {
        outcome: async () => {
          if (outcome instanceof Error) throw outcome
          return outcome
        },
      },
      limits: LIVE_TWAP,
      lagMs,
      clock,
    })
    return { asked, read: () => read(TERMS) }
  }

  it('is the average that the relay computes, of the last half-hour', async () => {
    const { asked, read } = ownPrice()
    expect(await read()).toMatchObject({
      kind: 'resolved',
      resolutionBps: 45,
      meta: { method: 'twap', pointCount: 31 },
    })
    expect(asked).toEqual([[TERMS.yesTokenId, windowStart, TERMS.expiry]])
  })

  it('is the outcome of a market that closed by the expiry, and of no later one', async () => {
    const closedAt = TERMS.expiry
    expect(await ownPrice({ outcome: { yesPrice: 1, closedAt } }).read()).toMatchObject({ resolutionBps: 100 })
    const later = ownPrice({ outcome: { yesPrice: 1, closedAt: closedAt + 1 } })
    expect(await later.read()).toMatchObject({ resolutionBps: 45 })
  })

  it('is none where there are too few points, and none while a source is down', async () => {
    expect(await ownPrice({ history: points.slice(0, 9) }).read()).toEqual({ kind: 'review', reason: 'too_few_points' })
    const down = ownPrice({ outcome: new RfqError('price_source_unavailable') })
    await expect(down.read()).rejects.toMatchObject({ code: 'signer_unavailable' })
  })

  it('is asked for once in 15 s for all series of a market and expiry, and again at once after a failure', async () => {
    const { asked, read } = ownPrice()
    await Promise.all([read(), read(), read()])
    await clock.advance(14_999)
    await read()
    expect(asked).toHaveLength(1)
    await clock.advance(1)
    await read()
    expect(asked).toHaveLength(2)
    const down = ownPrice({ outcome: new RfqError('price_source_unavailable') })
    for (const _ of [1, 2]) await expect(down.read()).rejects.toMatchObject({ code: 'signer_unavailable' })
    expect(down.asked).toHaveLength(2)
  })

  it('waits until the source has caught up with the expiry', async () => {
    const { asked, read } = ownPrice({ lagMs: 120_000 })
    await clock.advance(119_999)
    await expect(read()).rejects.toMatchObject({ code: 'signer_unavailable' })
    expect(asked).toEqual([])
    await clock.advance(1)
    expect(await read()).toMatchObject({ resolutionBps: 45 })
  })
})

describe('the socket of a signer', () => {
  it('is for the owner of the process alone', async () => {
    const { path, close } = await serve()
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await close()
    expect(existsSync(path)).toBe(false)
    expect(readdirSync(folder)).toEqual([])
  })

  it('is open to a group where the settings name one, in a folder of the group', async () => {
    const path = join(folder, 'run', 'signer.sock')
    const { close } = await serveSigner({ signer: open(), path, isForGroup: true, log })
    const modes = [join(folder, 'run'), path].map((at) => (statSync(at).mode & 0o777).toString(8))
    expect(modes).toEqual(['750', '660'])
    expect((await connectSigner(path)).address).toMatch(/^0x/)
    await close()
  })

  it.each(['751', '754', '770', '700', '777'])('is not for a group in a folder of mode %s', async (octal) => {
    const dir = join(folder, 'run')
    mkdirSync(dir)
    chmodSync(dir, octal)
    const serving = serveSigner({ signer: open(), path: join(dir, 'signer.sock'), isForGroup: true, log })
    await expect(serving).rejects.toMatchObject({ code: 'EACCES' })
    expect(readdirSync(dir)).toEqual([])
  })

  it('answers all that one relay asks at once, however many, and another relay meanwhile', async () => {
    let asked = 0
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const key = createResolutionSigner(KEY)
    const slow: ResolutionSigner = {
      ...key,
      probe: async (domain) => {
        asked += 1
        await released
        return key.probe(domain)
      },
    }
    const { path, close } = await serve(slow)
    const signer = await connectSigner(path)
    const signatures = Promise.allSettled(Array.from({ length: 200 }, () => signer.probe(DOMAIN)))
    await expect.poll(() => asked).toBeGreaterThanOrEqual(16)
    expect((await connectSigner(path)).address).toBe(key.address)
    expect(asked).toBe(16)
    release()
    expect((await signatures).filter(({ status }) => status === 'rejected')).toEqual([])
    await close()
  })

  it('answers while those who asked before keep their ends open', async () => {
    const { path, close } = await serve()
    const held = Array.from({ length: 64 }, () => new Socket({ allowHalfOpen: true }).connect(path))
    const answered = held.map(async (socket) => {
      socket.on('error', () => {}).write('{"ask":"address"}\n')
      await once(socket, 'data')
    })
    await Promise.all(answered)
    await expect.poll(() => connectSigner(path)).toBeDefined()
    expect(held.map(({ writable }) => writable)).toEqual(held.map(() => true))
    for (const socket of held) socket.destroy()
    await close()
  })

  it('ends a connection that waits for its answer for too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let tell = () => {}
    const asked = new Promise<void>((resolve) => {
      tell = resolve
    })
    const { path, close } = await serve({
      ...open(),
      probe: () => {
        tell()
        return new Promise(() => {})
      },
    })
    const socket = connect(path, () => socket.write(`${encodeSignerQuestion({ ask: 'probe', domain: DOMAIN })}\n`))
    socket.resume()
    await asked
    const ended = once(socket, 'close')
    vi.advanceTimersByTime(15_000)
    await ended
    await close()
  })

  it('passes refusals on, and what fails as unavailable, without its cause', async () => {
    const { path, close } = await serve()
    const signer = await connectSigner(path)
    await signer.sign(priced(59))
    await expect(signer.sign(priced(60))).rejects.toMatchObject({
      code: 'signer_refused',
      message: expect.stringContaining('has signed 59'),
    })
    chain.down = true
    await expect(signer.sign(priced(59))).rejects.toMatchObject({ code: 'signer_unavailable' })
    await close()
    await expect(signer.sign(priced(59))).rejects.toMatchObject({ code: 'signer_unavailable' })
    await expect(connectSigner(path)).rejects.toMatchObject({ code: 'signer_unavailable' })
  })

  it('replaces what a process that was killed left, and leaves alone one that answers, and any other file', async () => {
    const { path, close } = await serve()
    await expect(serve()).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect((await connectSigner(path)).address).toBe(createResolutionSigner(KEY).address)
    await close()
    writeFileSync(path, 'mine')
    await expect(serve()).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect(readFileSync(path, 'utf8')).toBe('mine')
  })

  it('tells a relay that the key behind it has changed', async () => {
    const first = await serve()
    const signer = await connectSigner(first.path)
    await first.close()
    const second = await serve(open(`0x${'02'.repeat(32)}`))
    await expect(signer.sign(REQUEST)).rejects.toMatchObject({
      code: 'signer_unavailable',
      message: expect.stringContaining(createResolutionSigner(KEY).address),
    })
    await second.close()
  })

  it.each([
    ['no question', 'hello\n'],
    ['a question without its attestation', '{"ask":"sign"}\n'],
    ['a line without an end', 'x'.repeat(9_000)],
  ])('drops a client that sends %s, and serves the others', async (_, text) => {
    const { path, close } = await serve()
    await new Promise<void>((resolve) => {
      const socket = connect(path, () => socket.write(text))
      socket.on('data', () => expect.unreachable())
      socket.on('error', () => {})
      socket.on('close', () => resolve())
    })
    expect((await connectSigner(path)).address).toMatch(/^0x/)
    expect(log.lines).toMatchObject([{ event: 'question_dropped' }])
    await close()
  })
})

describe('the line of a question', () => {
  it('is all that is read', async () => {
    const stream = new PassThrough()
    const line = readLine(stream, 5_000)
    stream.write('one\ntwo\n')
    expect(await line).toBe('one')
    const more = Buffer.alloc(1_000)
    while (stream.write(more)) {}
    expect(stream.readableLength + stream.writableLength).toBeGreaterThanOrEqual(stream.readableHighWaterMark)
    expect(stream.listenerCount('data')).toBe(0)
    stream.destroy()
  })

  it('comes in time as a whole, also when a byte comes again and again', async () => {
    vi.useFakeTimers()
    const stream = new PassThrough()
    const line = readLine(stream, 5_000)
    const failed = expect(line).rejects.toThrow('no line within 5000 ms')
    for (let n = 0; n < 5; n++) {
      stream.write('x')
      await vi.advanceTimersByTimeAsync(1_000)
    }
    await failed
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is too long also when its end comes with it', async () => {
    const stream = new PassThrough()
    const line = readLine(stream, 5_000)
    stream.write(`${'x'.repeat(9_000)}\n`)
    await expect(line).rejects.toThrow('too long')
  })
})
