import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import type { Environment } from '../../src/relay/config/sources.ts'
import { wordsOf } from './help-texts.ts'
import { serveFrom } from './serving.ts'
import { type Ran, run, temporaryDir } from './support.ts'

const { deployer, resolutionSigner, makers } = createDevAccounts()
const [OWNER, SIGNER] = [deployer.address, resolutionSigner.address]
const NEXT = makers[4]?.address ?? ''
const HALTER = makers[3]?.address ?? ''

/** A relay on its own chain, and someone at a terminal beside it who answers `answer` to each question. */
async function open(answer: string | null = 'yes') {
  const cwd = temporaryDir()
  await serveFrom(cwd, { hasChain: true })
  const asked: string[] = []
  const ask = async (question: string) => {
    asked.push(question)
    return answer ?? ''
  }
  const rfqctl = (line: string, environment: Environment = {}): Promise<Ran> =>
    run(wordsOf(line), { cwd, environment, ...(answer === null ? {} : { ask }) })
  /** What a line prints for programs: the preview, then each transaction. */
  const documents = async (line: string): Promise<Record<string, unknown>[]> => {
    const { code, stdout, stderr } = await rfqctl(`${line} --json`)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
  }
  const authority = async () => (await documents('chain status'))[0]?.authority as Record<string, unknown>
  return { rfqctl, documents, authority, asked }
}

test('a signer is proposed, is active after its notice, and is removed at once', async () => {
  const { rfqctl, documents, authority, asked } = await open()
  const proposed = await rfqctl(`chain signer propose ${NEXT}`)
  expect(proposed.code).toBe(0)
  expect(asked).toEqual([`propose ${NEXT} as resolution signer? Type yes: `])
  expect(proposed.stderr).toMatch(/^about to +propose 0x.*\nchain +80002, at 20\S+Z\ncore +0x/)
  expect(proposed.stderr).toMatch(new RegExp(`who may +the owner ${OWNER} \\(registrar\\)`))
  expect(proposed.stderr).toMatch(/counts from +\S+ \(in 3d\), once it is accepted: rfqctl chain signer accept/)
  expect(await authority()).toMatchObject({ signer: { holder: SIGNER, proposed: { address: NEXT } } })

  const early = await rfqctl('chain signer accept --account maker-5')
  expect([early.code, early.stdout]).toEqual([8, ''])
  expect(early.stderr).toMatch(/^about to.*counts from.*error: The announced step is not allowed yet\..*earliest 20/s)
  expect(asked).toHaveLength(1)
  await rfqctl('chain warp 3d')
  const owner = await rfqctl('chain signer accept')
  expect([owner.code, owner.stderr]).toEqual([4, expect.stringContaining(`the proposed signer is ${NEXT}`)])
  expect(await documents('chain signer accept --account maker-5')).toMatchObject([
    { type: 'preview', of: 'signer_accepted', from: NEXT, account: NEXT, transactions: [{ value: '0' }] },
    { type: 'signer_accepted', account: NEXT, txHash: expect.stringMatching(/^0x/) },
  ])
  expect(await authority()).toMatchObject({ signer: { holder: NEXT, proposed: null } })

  const revoked = await rfqctl('chain signer revoke')
  expect(revoked.stdout).toMatch(new RegExp(`^${NEXT} is no longer the resolution signer: 0x`))
  expect(await authority()).toMatchObject({ signer: { holder: null } })
  expect((await rfqctl('chain signer revoke')).stderr).toContain('no one is proposed as resolution signer')
  const again = await rfqctl(`chain signer propose ${NEXT}`)
  expect([again.code, again.stderr]).toEqual([8, expect.stringContaining('can never be one again')])
})

test('a guardian is replaced after its notice, a registrar and a halter at once', async () => {
  const { rfqctl, authority } = await open()
  expect((await rfqctl(`chain guardian propose ${NEXT}`)).stderr).toMatch(/undone by +the owner, until/)
  await rfqctl('chain warp 3d')
  expect((await rfqctl('chain guardian accept --account maker-5')).code).toBe(0)
  expect((await rfqctl(`chain registrar ${NEXT}`)).stdout).toContain(`${NEXT} registers series: 0x`)
  expect(await authority()).toMatchObject({ guardian: { holder: NEXT }, registrar: NEXT })
  expect((await rfqctl('chain halt @1 --account maker-5')).code).toBe(0)
  const resumed = await rfqctl('chain resume @1 --account maker-5')
  expect([resumed.code, resumed.stderr]).toEqual([4, expect.stringContaining('only the owner can resume 1 series')])
  expect((await rfqctl('chain guardian revoke --account maker-5')).stderr).toContain('no one is proposed as guardian')
  await rfqctl('chain registrar none')
  expect((await rfqctl(`chain halter ${HALTER}`)).stdout).toContain(`${HALTER} halts series: 0x`)
  expect(await authority()).toMatchObject({ registrar: null, halter: HALTER })
  expect((await rfqctl('chain halt @2 --account maker-4')).code).toBe(0)
  const beyond = await rfqctl('chain resume @2 --account maker-4')
  expect([beyond.code, beyond.stderr]).toEqual([4, expect.stringContaining('only the owner can resume 1 series')])
  expect((await rfqctl('chain halter none')).stdout).toContain('only guardian and owner halt series')
  expect(await authority()).toMatchObject({ halter: null })
})

test('a change that is final is refused before anything is sent', async () => {
  const { rfqctl } = await open()
  expect((await rfqctl('settle veto @1')).stderr).toMatch(/\S+ has no price/)
  await rfqctl('chain warp 1h')
  const settled = await rfqctl('settle submit --json')
  const [first, second] = settled.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(first.txHash).toBe(second.txHash)
  expect((await rfqctl(`settle veto ${first.seriesId}`)).stderr).toMatch(/the price of \S+ is final since/)
  await rfqctl('series list')
  const last = 'settle last-resort @1'
  expect((await rfqctl(last)).stderr).toContain('this core has no last resort')
  expect((await rfqctl(last)).stderr).toContain('error: The core was deployed without a conditional-token contract.')
})

test('ownership goes to who accepts it after its notice, and a proposal can be taken back', async () => {
  const { rfqctl, authority } = await open()
  await rfqctl(`chain owner propose ${NEXT}`)
  const stranger = await rfqctl('chain owner accept --account maker-1')
  expect([stranger.code, stranger.stdout]).toEqual([4, ''])
  expect(stranger.stderr).toContain(`the proposed owner is ${NEXT}`)
  expect((await rfqctl('chain owner revoke')).stdout).toContain(`the proposal of ${NEXT} is taken back`)
  expect((await rfqctl('chain owner accept --account maker-5')).stderr).toContain('no one is proposed as owner')
  await rfqctl(`chain owner propose ${NEXT}`)
  const early = await rfqctl('chain owner accept --account maker-5')
  expect([early.code, early.stderr]).toEqual([8, expect.stringContaining('is not allowed yet')])
  await rfqctl('chain warp 3d')
  expect((await rfqctl('chain owner accept --account maker-5')).code).toBe(0)
  expect(await authority()).toMatchObject({ owner: { holder: NEXT, proposed: null } })
  const former = await rfqctl(`chain registrar ${NEXT}`)
  expect([former.code, former.stderr]).toEqual([
    4,
    expect.stringContaining(`only the owner can let ${NEXT} register series`),
  ])
})

test('series are halted and resumed, one or all; what is as it should be is left out', async () => {
  const { rfqctl, documents } = await open()
  expect((await rfqctl('chain halt @1')).stdout).toMatch(/^halted 1 series: 0x/)
  const [preview, sent] = await documents('chain halt --all')
  expect(sent).toMatchObject({ type: 'series_halted', txHash: expect.stringMatching(/^0x/) })
  const { series } = preview as { series: { seriesId: string; halted: boolean }[] }
  expect(series.length).toBeGreaterThan(20)
  expect(series.some(({ halted }) => halted)).toBe(false)
  expect((await rfqctl('chain halt --all')).stderr).toContain('error: there is nothing to send')

  const [first] = series
  // The number itself needs no relay to tell which series it is.
  const resumed = await rfqctl(`chain resume ${first?.seriesId} --url http://127.0.0.1:2`)
  expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringMatching(/^resumed 1 series/)])
  expect((await rfqctl('chain halt')).stderr).toContain('error: name the series, or all of them with --all')
})

test('open packages are halted with a series that they have as a leg, in a Safe batch too (decision K5)', async () => {
  const { rfqctl, documents } = await open()
  // No maker is there to quote the spread, which is registered all the same.
  await rfqctl('taker spread @1 @3 --budget 5')
  const listed = ((await documents('series list'))[0] as { series: { seriesId: string; legs?: unknown }[] }).series
  const spread = listed.find(({ legs }) => legs !== undefined)?.seriesId
  const [leg, other] = [listed[0]?.seriesId, listed[1]?.seriesId]
  const idsIn = ([document]: Record<string, unknown>[]) =>
    (document as { series?: { seriesId: string }[] } | undefined)?.series?.map(({ seriesId }) => seriesId)

  const printed = await documents('chain halt @1 --calldata')
  expect(idsIn(printed)).toEqual([leg, spread])
  const inData = expect.stringContaining(BigInt(spread ?? 0).toString(16))
  expect(printed).toMatchObject([{ transactions: [{ functionName: 'setHalted', data: inData }] }])
  expect(idsIn(await documents('chain halt @2 --calldata'))).toEqual([other])
  expect(idsIn(await documents(`chain halt @1 ${spread} --calldata`))).toEqual([leg, spread])

  // Without a relay the series is halted, and the preview says that there may be packages.
  const alone = await rfqctl(`chain halt ${leg} --url http://127.0.0.1:2`)
  expect([alone.code, alone.stdout]).toEqual([0, expect.stringMatching(/^halted 1 series/)])
  expect(alone.stderr).toMatch(/packages +not looked for: no relay answers/)
  expect((await rfqctl('chain halt @1')).stdout).toMatch(/^halted 1 series/)
  expect((await rfqctl('chain halt @1')).stderr).toContain('error: there is nothing to send')
  expect(idsIn(await documents('chain resume @1 --calldata'))).toEqual([leg])
})

test('the owner caps what all series of a market and expiry can have to pay, for those registered later', async () => {
  const { rfqctl, documents, authority } = await open()
  expect((await rfqctl('chain cap none')).stderr).toContain('any sum of a new market and expiry can be owed already')
  const capped = await rfqctl('chain cap 64')
  expect(capped.stdout).toMatch(/^at most \$64\.00 can be owed by all series of a new market and expiry: 0x/)
  expect(capped.stderr).toMatch(/cap +any sum\n.*\nthen +a market and expiry without a series yet/)
  expect(await authority()).toMatchObject({ defaultCap: '64000000' })
  expect((await rfqctl('chain status')).stdout).toMatch(/^cap +at most \$64\.00 of a new market and expiry$/m)
  expect((await rfqctl('chain cap 63.5')).code).toBe(2)
  expect(await documents('chain cap none --calldata')).toMatchObject([
    { of: 'default_cap_set', cap: '0', former: '64000000', transactions: [{ functionName: 'setDefaultCap' }] },
  ])
})

test('an account that holds a role already is not proposed for it', async () => {
  const { rfqctl } = await open()
  const { code, stderr } = await rfqctl(`chain signer propose ${SIGNER}`)
  expect([code, stderr]).toEqual([3, expect.stringContaining(`${SIGNER} is the resolution signer already`)])
  // Another proposal may be replaced by it.
  await rfqctl(`chain signer propose ${NEXT}`)
  expect((await rfqctl(`chain signer propose ${SIGNER}`)).code).toBe(0)
})

test('a proposal that lapsed is refused without a question', async () => {
  const { rfqctl, asked } = await open()
  await rfqctl(`chain guardian propose ${NEXT}`)
  await rfqctl('chain warp 11d')
  const late = await rfqctl('chain guardian accept --account maker-5')
  expect([late.code, late.stdout]).toEqual([8, ''])
  expect(late.stderr).toMatch(/proposed +0x.* until \S+ \(1d ago\)\n.*error: The announced step has lapsed\./s)
  expect(asked).toHaveLength(1)
})

test('nothing is sent without a yes, and a script has to say it beforehand', async () => {
  const { rfqctl, authority } = await open('no')
  const refused = await rfqctl(`chain signer propose ${NEXT}`)
  expect([refused.code, refused.stdout]).toEqual([2, ''])
  expect(refused.stderr).toContain('error: nothing was sent\n  the answer was not yes')
  const script = await open(null)
  expect((await script.rfqctl(`chain signer propose ${NEXT}`)).stderr).toContain('this is not a terminal')
  expect((await script.rfqctl(`chain signer propose ${NEXT} --yes`)).code).toBe(0)
  expect(await authority()).toMatchObject({ signer: { proposed: null } })
})

test('for a multi-signature wallet the same is printed as a Safe batch, and nothing is sent', async () => {
  const { rfqctl, documents, authority } = await open(null)
  const { code, stdout, stderr } = await rfqctl(`chain signer propose ${NEXT} --calldata --from ${NEXT}`)
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    version: '1.0',
    chainId: '80002',
    meta: { createdFromSafeAddress: NEXT, checksum: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    transactions: [{ value: '0', data: expect.stringContaining(NEXT.slice(2).toLowerCase()) }],
  })
  expect(stderr).toContain('sent now, it would be refused: The wallet does not hold the role for this.')
  expect(await authority()).toMatchObject({ signer: { proposed: null } })

  const [printed] = await documents('chain halt @1 --calldata')
  expect(printed).toMatchObject({ type: 'calldata', of: 'series_halted', from: OWNER, safe: { chainId: '80002' } })
  expect((await rfqctl('chain halt @1')).stderr).not.toContain('halted 1')
  expect((await rfqctl(`chain halt @1 --from ${NEXT}`)).code).toBe(2)
})

test('the owner settles by hand what no one attested, after both notices', async () => {
  const { rfqctl, documents, asked } = await open()
  const [{ seriesId }] = ((await documents('series list'))[0] as { series: { seriesId: string }[] }).series as [
    { seriesId: string },
  ]
  const soon = await rfqctl(`settle manual propose ${seriesId} --price 0.59`)
  expect([soon.code, soon.stderr]).toEqual([8, expect.stringContaining('is not allowed yet')])
  await rfqctl('chain warp 4d')
  expect(await rfqctl(`settle manual execute ${seriesId}`)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('no price is proposed for'),
  })
  const proposed = await rfqctl(`settle manual propose ${seriesId} --price 0.59`)
  expect(proposed.stdout).toMatch(/^proposed \$0\.59 for .*, executable from \S+ \(in 1d\): 0x/)
  expect(proposed.stderr).toContain('a resolution by the signer settles the series instead')
  const early = await rfqctl(`settle manual execute ${seriesId}`)
  expect([early.code, early.stderr]).toEqual([
    8,
    expect.stringMatching(/executable from \S+ \(in 1d\) until \S+ \(in 3d\)/),
  ])
  await rfqctl('chain warp 4d')
  const late = await rfqctl(`settle manual execute ${seriesId}`)
  expect([late.code, late.stderr]).toEqual([8, expect.stringContaining('error: The announced step has lapsed.')])
  expect(asked).toEqual([expect.stringMatching(/^propose \$0\.59/)])
  await rfqctl(`settle manual propose ${seriesId} --price 0.59`)
  await rfqctl('chain warp 1d')
  expect((await rfqctl(`settle manual execute ${seriesId}`)).stdout).toMatch(/^settled .* at \$0\.59: 0x/)
  const again = await rfqctl(`settle manual propose ${seriesId} --price 0.6`)
  expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('settled already\n  at $0.59')])
})

test('the authority of a chain without our contracts is not made up', async () => {
  const { rfqctl } = await open()
  const { stdout } = await rfqctl('chain status --rpc http://127.0.0.1:2')
  expect(stdout).not.toContain('owner')
})

/** What the commands of the operator's table need beside a series, which each takes as a whole id. */
const NEEDS: Readonly<Record<string, string>> = {
  'chain signer create': `${NEXT} --threshold 1`,
  'chain signer propose': NEXT,
  'chain guardian propose': NEXT,
  'chain owner propose': NEXT,
  'chain registrar': NEXT,
  'chain halter': HALTER,
  'chain cap': '1024',
  'settle manual propose': '--price 0.5',
}
const TAKE_SERIES = /^(chain (halt|resume)$|settle )/

test('every command of owner, guardian and anyone works without a relay, on a series by its whole id', async () => {
  const page = readFileSync(new URL('../../docs/guides/operator/authority.md', import.meta.url), 'utf8')
  const commands = [...page.matchAll(/^\| `rfqctl ((?:chain|settle) [a-z- ]+)` /gm)].map(([, command = '']) => command)
  expect(commands.length).toBeGreaterThan(15)
  const { rfqctl } = await open()
  const { series: listed } = JSON.parse((await rfqctl('series list --json')).stdout)
  for (const command of commands) {
    const series = TAKE_SERIES.test(command) ? [listed[0].seriesId] : []
    const line = [command, ...series, NEEDS[command]].filter(Boolean).join(' ')
    const { code, stderr } = await rfqctl(line, { RFQCTL_URL: 'http://127.0.0.1:2' })
    // Done, or refused by the chain or by who this is: never for want of a relay, nor as typed wrongly.
    expect([0, 3, 4, 8], `${line}: ${code} ${stderr}`).toContain(code)
    expect(stderr).not.toContain('cannot be reached')
  }
})
