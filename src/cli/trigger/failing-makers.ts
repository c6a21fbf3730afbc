import { MAKER_STYLES } from '../../bots/style.ts'
import { accountOf } from '../../client/from-text.ts'
import { createMakerClient, RelayError } from '../../client/index.ts'
import { duration } from '../../lib/format.ts'
import { COMMIT_MS, fallBack } from './fall-back.ts'
import type { Player } from './player.ts'
import { type Race, race } from './race.ts'
import { type Scenario, scenarioFailed } from './scenario.ts'
import type { Stage } from './stage.ts'

/** The winner says nothing at all, and the next best signs after the deadline. */
export const makerTimeout: Scenario = {
  summary: 'the best maker does not sign in time, and the next best does',
  run: async (stage) => {
    const staged = await race(stage, { style: MAKER_STYLES.silent, promise: 'will quote best and never sign' })
    await askedInVain(stage, staged)
  },
}

/** The winner signs after its deadline, and is refused: a late signature is never used (decision C8). */
export const lateConfirm: Scenario = {
  summary: 'the best maker signs too late, and is refused with no_pending_acceptance',
  run: async (stage) => {
    const staged = await race(stage, {
      style: MAKER_STYLES.late,
      promise: 'will quote best and sign half a second late',
    })
    await askedInVain(stage, staged)
    await refused(stage, staged.villain, 'no_pending_acceptance')
  },
}

/** The winner sends a signature of another key; it may still send a right one until the deadline, but does not. */
export const badSignature: Scenario = {
  summary: 'the best maker signs with a wrong key, and is refused with invalid_signature',
  run: async (stage) => {
    const staged = await race(stage, {
      style: MAKER_STYLES['bad-signature'],
      promise: 'will quote best and sign with a wrong key',
    })
    await askedInVain(stage, staged, () => refused(stage, staged.villain, 'invalid_signature'))
  },
}

/** The winner declines, so that no one waits for its deadline. */
export const makerDeclines: Scenario = {
  summary: 'the best maker declines, and the next best is asked at once',
  run: async (stage) => {
    const staged = await race(stage, { style: MAKER_STYLES.declining, promise: 'will quote best and decline' })
    await askedInVain(stage, staged, async () => {
      const { name, told } = staged.villain
      const { reason } = await told('declined', COMMIT_MS)
      stage.narrator.tell('declined', { maker: name, reason }, `${name} declines: ${reason}`)
    })
  },
}

/** The winner can no longer pay when the taker commits: the relay reads the chain again, past every cache (decision C4). */
export const insolventAtCommit: Scenario = {
  summary: 'the best maker revokes its approval before the commit, and is passed over',
  needsChain: true,
  run: async (stage) => {
    const { url, chain, narrator, signal } = stage
    const staged = await race(stage, {
      style: MAKER_STYLES.tight,
      promise: 'will quote best and then revoke its approval',
    })
    const { villain } = staged
    const { privateKey, apiKey = null } = stage.sandbox.makers.find(({ name }) => name === villain.name) as Wallet
    const client = createMakerClient({ url, apiKey, account: accountOf(privateKey), chain })
    await client.revokeApproval({ spender: 'core', signal })
    narrator.tell('revoked', { maker: villain.name }, `${villain.name} revokes its approval of the core contract`)
    await fallBack(stage, staged)
  },
}

type Wallet = Stage['sandbox']['makers'][number]

/**
 * Commits to a maker that is asked to sign and does not, tells how long it has and what it `does` instead, and sees another
 * one sign.
 */
async function askedInVain(stage: Stage, staged: Race, does?: () => Promise<void>): Promise<void> {
  const { name, told } = staged.villain
  const asked = told('asked', COMMIT_MS).then(({ acceptance: { deadline } }) => {
    const time = duration(Math.max(0, deadline - Date.now()))
    stage.narrator.tell('asked', { maker: name, deadline }, `${name} is asked to sign within ${time}`)
    return does?.()
  })
  await fallBack(stage, staged, asked)
}

/** Waits for a maker to be refused, and tells of it. Refuses with `scenario_failed` when it was refused otherwise. */
export async function refused({ narrator }: Stage, { name, told }: Player, code: string): Promise<void> {
  const { doing, error } = await told('failed', COMMIT_MS)
  if (!(error instanceof RelayError) || error.code !== code) {
    throw scenarioFailed(`${name} was not refused with ${code}`, error)
  }
  narrator.tell('refused', { maker: name, doing, code }, `${name} is refused: ${code} (${error.message})`)
}
