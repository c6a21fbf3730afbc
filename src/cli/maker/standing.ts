import type { OwnStanding, RecordedOutcome } from '@rfqctl/client/index'
import { duration, latency, percent, plural, shortId, when } from '@rfqctl/lib/format'
import { encodeStanding } from '@rfqctl/protocol/wire/maker-record'
import type { Cli, Run } from '../cli.ts'
import type { SameAccountOptions } from '../context/account.ts'
import { makerClient } from '../context/clients.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { factLines } from '../terminal/table.ts'
import { showMakers } from './operate.ts'

type Options = RelayOptions & ChainOptions & SameAccountOptions

export const showStanding: Run<Options> = async (cli, options) => {
  const { account = '', keyFile, keyStdin } = options
  const isOwn = account !== '' || keyFile !== undefined || keyStdin !== undefined
  return isOwn ? showOwn(cli, { ...options, account }) : showMakers(cli, options)
}

/** JSON is the relay's answer unchanged. */
async function showOwn(cli: Cli, options: Options & { account: string }): Promise<void> {
  const { client } = await makerClient(cli, options)
  const shown = await client.getStanding({ signal: cli.stop })
  const { success: _, ...json } = encodeStanding(shown)
  cli.out.print({ type: 'standing', ...json }, factLines(factsOf(shown, Date.now()), cli.out.colors))
}

function factsOf(shown: OwnStanding, now: number): (readonly [string, string])[] {
  const { score, windowMs, outcomes, confirmP50Ms, confirmP90Ms, confirmP99Ms, lastDay, suspension, strikes } = shown
  const counted = Object.entries(outcomes).filter(([, count]) => count > 0)
  const waits = [confirmP50Ms, confirmP90Ms, confirmP99Ms].flatMap((wait) => (wait === null ? [] : latency(wait)))
  return [
    ['score', score === null ? 'none yet' : `${score} of 100`],
    [`in ${duration(windowMs)}`, counted.length === 0 ? 'no outcomes' : counted.map(countText).join(', ')],
    ['time to sign', waits.length === 0 ? 'not known' : `p50 ${waits[0]}, p90 ${waits[1]}, p99 ${waits[2]}`],
    ['last day', wonText(lastDay)],
    ['suspended', suspension === null ? 'no' : `ends ${when(suspension.until, now)}`],
    ...(suspension?.because ?? []).map((outcome) => ['because', outcomeText(outcome, now)] as const),
    ...(strikes === 0 ? [] : [['strikes', `${strikes}, the next suspension is longer`] as const]),
    ...shown.newest.toReversed().map((outcome) => ['newest', outcomeText(outcome, now)] as const),
  ]
}

const countText = ([kind, count]: readonly [string, number]): string => `${count} ${kind.replaceAll('_', ' ')}`

const wonText = ({ requests, won }: OwnStanding['lastDay']): string =>
  requests === 0
    ? 'no request that it quoted on has ended'
    : `won ${won} of ${plural(requests, 'request')} (${percent(won / requests)})`

const outcomeText = ({ kind, requestId, at }: RecordedOutcome, now: number): string =>
  `${kind.replaceAll('_', ' ')} ${shortId(requestId)}, ${when(at, now)}`
