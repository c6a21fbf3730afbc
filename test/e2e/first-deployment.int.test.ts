import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { warpChain } from '../../src/onchain/devnet/warp.ts'
import type { Address, Hex } from '../../src/protocol/domain/units.ts'
import { findProgram } from '../../src/sandbox/services/services.ts'
import { temporaryDir } from '../cli/support.ts'
import { startSource } from '../relay/adapters/sources/source-server.ts'
import { putConditionalTokens } from '../support/conditional-tokens.ts'
import { findFreePort } from '../support/free-port.ts'
import { gammaFixture, startGamma } from '../support/gamma-server.ts'
import { createOwnNginx, HAS_NGINX } from '../support/own-proxy.ts'
import { type PublicChain, startPublicChain } from '../support/public-chain.ts'
import { type OperatorShell, openOperatorShell, readBatch } from './operator-shell.ts'
import { shownAs, typedSteps } from './typed-page.ts'

const PAGE = readFileSync(new URL('../../docs/guides/operator/deployment.md', import.meta.url), 'utf8')
const FIRST_DEPLOYMENT = PAGE.slice(PAGE.indexOf('## Settings and keys'))

const PATH = process.env.PATH ?? ''
const CAN_RUN = HAS_NGINX && findProgram('bash', PATH) !== null && findProgram('curl', PATH) !== null

/** The wallets that pay for gas, and which of them trade. */
const PAYING = ['deployer', 'listing', 'halter', 'keeper', 'desk', 'client', 'next-signer']
/** Keystores, final blocks and a relay that starts three times: about a minute on two cores. */
const LIMIT_MS = 300_000
/** What maker and taker bring, micro-dollars. */
const MONEY = 1_000_000_000n

const CONDITIONAL_TOKENS = '0x4D97DCd97eC945f40cF65F87097ACe5EA0476045'

type World = { chain: PublicChain; shell: OperatorShell; cwd: string; wallets: Map<string, Address>; port: number }

describe.skipIf(!CAN_RUN)(
  CAN_RUN ? 'a first deployment' : 'a first deployment (skipped: needs nginx, openssl, bash and curl)',
  () => {
    beforeAll(() => {
      // The certificate of the proxy is its own.
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
      return () => {
        delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      }
    })

    test(
      'the guide for operators, typed line by line on a chain that is no sandbox, ends with a payout in a stablecoin that is not ours',
      async () => {
        const world = await openWorld()
        const typed: string[] = []
        for (const { lines, seen } of typedSteps(FIRST_DEPLOYMENT)) {
          let shown = ''
          for (const line of lines) {
            shown += await carryOut(line, world)
            typed.push(line)
          }
          for (const line of seen) expect(shown).toMatch(shownAs(line))
        }
        for (const command of MUST_BE_TYPED) {
          expect(
            typed.filter((line) => line.startsWith(command)),
            command,
          ).not.toEqual([])
        }
        await expectOutcome(world)
      },
      LIMIT_MS,
    )
  },
)

/** What the path consists of: a page that leaves one out is no path. */
const MUST_BE_TYPED = [
  'rfqctl init ',
  'rfqctl wallet create ',
  'rfqctl chain deploy ',
  'rfqctl chain verify',
  'rfqctl db migrate',
  'rfqctl serve',
  'nginx ',
  'rfqctl doctor --production',
  'rfqctl markets import ',
  'rfqctl lister run ',
  'rfqctl taker commit ',
  'rfqctl settle run ',
  'rfqctl claim ',
  'rfqctl db backup ',
  'rfqctl db restore ',
  'rfqctl chain signer propose ',
  'rfqctl chain signer accept ',
]

/** A chain, the sources of live markets, and a terminal in an empty directory. */
async function openWorld(): Promise<World> {
  const chain = await startPublicChain()
  await putConditionalTokens(
    chain.dev,
    CONDITIONAL_TOKENS,
    gammaFixture('markets').map(({ conditionId, clobTokenIds }) => ({
      conditionId: conditionId as Hex,
      yesTokenId: JSON.parse(String(clobTokenIds))[0],
    })),
  )
  const gamma = await startGamma()
  onTestFinished(() => gamma.close())
  const prices = await startSource((response, request) => {
    const query = new URL(request.url ?? '/', 'http://source').searchParams
    const [from, to] = [Number(query.get('startTs')), Number(query.get('endTs'))]
    const first = Math.ceil(from / 60) * 60
    const history = Array.from({ length: Math.max(0, Math.floor((to - first) / 60) + 1) }, (_, minute) => ({
      t: first + minute * 60,
      p: 0.4,
    }))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ history }))
  })
  const cwd = temporaryDir()
  const port = await findFreePort()
  const shell = openOperatorShell(cwd, {
    RPC_URL: chain.rpcUrl,
    CHAIN_ID: `${chain.chainId}`,
    STABLECOIN: chain.usdc,
    OWNER: chain.multisig,
    CONDITIONAL_TOKENS,
    MARKETS_USD: '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174',
    // The settings file names the public API, which no test asks.
    MARKETS_URL: gamma.url,
    PRICE_HISTORY_URL: prices.url,
    PORT: `${port}`,
  })
  return { chain, shell, cwd, wallets: new Map(), port }
}

/** Does what a line says, or what it tells a person to do; returns what is seen. */
async function carryOut(line: string, world: World): Promise<string> {
  const { chain, shell, cwd, wallets, port } = world
  const [, count, unit] = /^# (\d+) (hours|days) later$/.exec(line) ?? []
  if (count !== undefined) {
    await warpChain(chain.dev, Number(count) * (unit === 'days' ? 86_400 : 3_600))
    return ''
  }
  if (line === '# stop the relay') {
    await shell.stop('serve')
    return ''
  }
  const [, batch] = /^# the owner sends ([\w-]+\.json)/.exec(line) ?? []
  if (batch !== undefined) {
    await chain.sendAs(chain.multisig, readBatch(join(cwd, batch)))
    return ''
  }
  expect(line, 'a comment that is nothing to do').not.toMatch(/^#/)
  if (line.startsWith('nginx ')) {
    const proxy = await createOwnNginx([`http://127.0.0.1:${port}`])
    onTestFinished(() => proxy.stop())
    world.shell.environment.PROXY_URL = proxy.url
    return ''
  }
  const { code, stdout, stderr } = await shell.type(filledIn(line, world))
  expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' })
  for (const [, name = '', address = ''] of stdout.matchAll(/^([\w-]+) is (0x\w{40}), kept in/gm)) {
    wallets.set(name, address as Address)
    if (PAYING.includes(name)) await chain.fund(address as Address)
    if (name === 'desk' || name === 'client') await chain.mint(address as Address, MONEY)
  }
  return stdout + stderr
}

/** A line with what stands for the dots and names of the page. */
function filledIn(line: string, { shell }: World): string {
  return line
    .replace('--query "…"', '--query krone')
    .replace('https://relay.example', shell.environment.PROXY_URL ?? '')
    .replace(/curl /, 'curl --insecure ')
}

/** What is to be true in the end, seen beside the commands. */
async function expectOutcome({ chain, shell, wallets }: World): Promise<void> {
  const { PROXY_URL: url, NEXT_SIGNER, OPERATOR_TOKEN } = shell.environment
  const dollarsOf = (name: string) => chain.dollarsOf(wallets.get(name) as Address)
  // 100 calls at 25 cents for $0.20 each, and the market at 40 cents when they expire.
  expect(await dollarsOf('client')).toBe(MONEY - 20_000_000n + 15_000_000n)
  expect(await dollarsOf('desk')).toBe(MONEY + 20_000_000n - 15_000_000n)
  const { series } = (await (await fetch(`${url}/v1/series`)).json()) as { series: { conditionId: string }[] }
  const [krone] = gammaFixture('markets')
  expect(new Set(series.map(({ conditionId }) => conditionId))).toEqual(new Set([krone?.conditionId]))
  expect(OPERATOR_TOKEN).toMatch(/^[0-9a-f]{48}$/)
  const { stdout } = await shell.type('rfqctl chain status')
  expect(stdout).toContain(`resolution signer  ${NEXT_SIGNER}`)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toMatch(/^rfqctl_resolution_signer_in_office 1$/m)
}
