import {
  type MakerProtections,
  type ProtectionsInput,
  type ProtectionTrip,
  type ProtectionWindow,
  toProtectionsInput,
  type Usd6,
} from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { duration, priceText, usd, when } from '@rfqctl/lib/format'
import { contracts } from '@rfqctl/protocol/domain/units'
import { encodeProtectionsAnswer, type ShownProtections } from '@rfqctl/protocol/wire/maker-protections'
import type { Cli, Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { makerClient } from '../context/clients.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { factLines } from '../terminal/table.ts'

type MakerFlags = RelayOptions & ChainOptions & AccountOptions

type ProtectFlags = MakerFlags & {
  onDisconnect?: number
  channels?: 'any' | 'all'
  window?: number
  maxAccepted?: number
  maxContracts?: number
  maxNotional?: Usd6
  maxCollateral?: Usd6
  freeze?: number
  maxSize?: number
  off?: boolean
  reset?: boolean
}

/** Shows or replaces a maker's protections, or ends a trip. */
export const protect: Run<ProtectFlags> = async (cli, options) => {
  const asked = protectionsOf(options)
  if (options.reset && asked !== null) throw refuse('--reset and new protections are two commands', 'reset first')
  const { client } = await makerClient(cli, options)
  const signal = cli.stop
  if (options.reset) return show(cli, await client.resetProtections({ signal }))
  if (asked === null) return show(cli, await client.getProtections({ signal }))
  if (options.off) return show(cli, await client.setProtections({ protections: {}, signal }))
  // Reference prices come from a program: the current ones are kept.
  const { protections } = await client.getProtections({ signal })
  const { references } = toProtectionsInput(protections, Date.now())
  return show(cli, await client.setProtections({ protections: { ...asked, references }, signal }))
}

/** Null where no flag asks for any. */
function protectionsOf(options: ProtectFlags): ProtectionsInput | null {
  const { onDisconnect, channels, window, maxAccepted, maxContracts, maxNotional, maxCollateral } = options
  const bounds = [maxAccepted, maxContracts, maxNotional, maxCollateral]
  const isBounded = bounds.some((bound) => bound !== undefined)
  const flags = [onDisconnect, channels, window, options.freeze, options.maxSize]
  const isAsked = isBounded || flags.some((flag) => flag !== undefined)
  if (options.off) {
    if (isAsked) throw refuse('--off turns all protections off', 'leave --off or the others out')
    return {}
  }
  if (!isAsked) return null
  if (isBounded !== (window !== undefined)) {
    throw refuse('a window needs a length and a bound', 'for example --window 1m --max-accepted 10')
  }
  if (channels !== undefined && onDisconnect === undefined) {
    throw refuse('--channels belongs to --on-disconnect', 'add --on-disconnect 2s')
  }
  const own: ProtectionWindow | null =
    window === undefined
      ? null
      : {
          ms: window,
          maxAccepted: maxAccepted ?? null,
          maxContracts: maxContracts === undefined ? null : contracts(BigInt(maxContracts)),
          maxNotional: maxNotional ?? null,
          maxCollateral: maxCollateral ?? null,
        }
  return {
    cancelOnDisconnect: onDisconnect === undefined ? null : { graceMs: onDisconnect, channels: channels ?? 'all' },
    windows: own === null ? [] : [own],
    freezeMs: options.freeze ?? null,
    maxQuoteSize: options.maxSize === undefined ? null : contracts(BigInt(options.maxSize)),
  }
}

const refuse = (message: string, hint: string): CliError => new CliError(message, { hint })

/** JSON is the relay's answer unchanged. */
function show(cli: Cli, shown: ShownProtections): void {
  const { protections, trip } = shown
  const { cancelOnDisconnect, windows, freezeMs, maxQuoteSize, references } = protections
  const now = Date.now()
  const facts: (readonly [string, string])[] = [
    ['disconnect', cancelOnDisconnect === null ? 'quotes stay' : disconnectText(cancelOnDisconnect)],
    ...windows.map((window) => ['window', windowText(window)] as const),
    ...(windows.length === 0 ? ([['window', 'none']] as const) : []),
    ['freeze', freezeMs === null ? 'until a reset' : duration(freezeMs)],
    ['largest quote', maxQuoteSize === null ? 'any size' : `${maxQuoteSize} options`],
    ...references.map(
      ({ scope, price, maxDeviation, expiresAt }) =>
        [
          `${scope} price`,
          `${priceText(price)} ± ${priceText(maxDeviation)}${expiresAt === null ? '' : `, ends ${when(expiresAt, now)}`}`,
        ] as const,
    ),
    ['tripped', trip === null ? 'no' : tripText(trip, now)],
  ]
  const { success: _, ...json } = encodeProtectionsAnswer(shown)
  cli.out.print({ type: 'protections', ...json }, factLines(facts, cli.out.colors))
  if (trip !== null) cli.out.note('Next: rfqctl maker protect --reset')
}

const disconnectText = ({ graceMs, channels }: NonNullable<MakerProtections['cancelOnDisconnect']>): string =>
  `quotes go ${duration(graceMs)} after ${channels === 'any' ? 'the stream or the socket' : 'stream and socket'} ended`

function windowText({ ms, maxAccepted, maxContracts, maxNotional, maxCollateral }: ProtectionWindow): string {
  const bounds = [
    ...(maxAccepted === null ? [] : [`${maxAccepted} orders`]),
    ...(maxContracts === null ? [] : [`${maxContracts} options`]),
    ...(maxNotional === null ? [] : [`${usd(maxNotional)} of premium`]),
    ...(maxCollateral === null ? [] : [`${usd(maxCollateral)} of collateral`]),
  ]
  return `at most ${bounds.join(', ')} in ${duration(ms)}`
}

function tripText({ at, until, window, used }: ProtectionTrip, now: number): string {
  const end = until === null ? 'until a reset' : `ends ${when(until, now)}`
  return `${when(at, now)}, ${end}: ${used.accepted} orders, ${used.contracts} options in ${duration(window.ms)}`
}
