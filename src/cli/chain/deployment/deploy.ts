import { join } from 'node:path'
import type { KeyAccount } from '@rfqctl/client/from-text'
import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'
import { coin } from '@rfqctl/lib/format'
import { readPrivateJson, writePrivateJson } from '@rfqctl/lib/private-file'
import type { Blueprint } from '@rfqctl/onchain/deploy/blueprint'
import { build } from '@rfqctl/onchain/deploy/build'
import type { ChainClient } from '@rfqctl/onchain/deploy/chain-client'
import type { Planned } from '@rfqctl/onchain/deploy/creation'
import { waitUntilFinal } from '@rfqctl/onchain/deploy/finality'
import { remainingWork, type Work } from '@rfqctl/onchain/deploy/plan'
import { chainFaults, readBudget } from '@rfqctl/onchain/deploy/preflight'
import { DeploymentError, type DeploymentFault, type DeploymentRecord, openRecord } from '@rfqctl/onchain/deploy/record'
import { surveySite } from '@rfqctl/onchain/deploy/survey'
import { verifyDeployment } from '@rfqctl/onchain/deploy/verify'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Cli } from '../../cli.ts'
import { dataDirOf } from '../../context/targets.ts'
import { marketsOn, plannedSafeguards, weaknessesOf } from '../weaknesses.ts'
import { notesFolder } from './notes.ts'
import { newsLine, WORK_TEXT } from './report.ts'

export type Deployed = { deployment: Planned; startBlock: number }

/** `isDevChain`: an Anvil of this machine, which has no reorganisations. */
type Input = { client: ChainClient; account: KeyAccount; blueprint: Blueprint; isDevChain: boolean }

/** Plans, funds, builds and verifies; null on a dry run. */
export async function deployBlueprint(
  cli: Cli,
  options: { dataDir?: string; again?: boolean; dryRun?: boolean; unsafe?: boolean },
  { client, account, blueprint, isDevChain }: Input,
): Promise<Deployed | null> {
  try {
    const kept = keptRecords(cli, options, blueprint)
    const record = await openRecord(client, { blueprint, load: kept.load, again: options.again === true })
    const { deployment } = record
    const work = remainingWork(blueprint, await surveySite(client, record))
    await assertFeasible(cli, { client, blueprint, work })
    // The test stablecoin of a local Anvil is no one's money.
    if (!isDevChain || blueprint.stablecoin.kind === 'existing') {
      await assertSafe(cli, client, { blueprint, isUnsafe: options.unsafe === true })
    }
    if (options.dryRun === true) {
      printPlan(cli, { work, planned: deployment })
      return null
    }
    if (work.length === 0) cli.out.note('already deployed')
    const sent = new Set(record.sent.map(({ hash }) => hash))
    await build({
      client,
      account,
      record,
      keep: (news) => {
        for (const { hash } of news.sent) sent.add(hash)
        kept.save(news)
      },
      onNews: (news) => cli.out.note(newsLine(news)),
      signal: cli.stop,
    })
    if (!isDevChain) {
      await waitUntilFinal(client, {
        hashes: [...sent],
        onWait: (block) =>
          cli.out.note(`waiting until block ${block} is final; if you stop this, run it again to resume`),
        signal: cli.stop,
      })
    }
    const faults = await verifyDeployment(client, { blueprint, deployment })
    if (faults.length > 0) throw notAsPlanned(faults)
    cli.out.note('checked: chain, code, links, domains and roles are as planned')
    return { deployment, startBlock: record.startBlock }
  } catch (fault) {
    throw fault instanceof DeploymentError ? cutOff(fault) : fault
  }
}

/**
 * Refuses what can never be changed and would let one stolen key decide what others' options pay; with the worthless test
 * stablecoin it only warns.
 */
async function assertSafe(
  cli: Cli,
  client: ChainClient,
  { blueprint, isUnsafe }: { blueprint: Blueprint; isUnsafe: boolean },
): Promise<void> {
  const { chainId, owner, deployer, stablecoin } = blueprint
  const whose = owner === deployer ? `the deployer ${owner} is the owner` : `the owner ${owner} is a single key`
  const weaknesses = [
    ...weaknessesOf(plannedSafeguards(blueprint, await marketsOn(client, chainId))).map(({ found }) => found),
    ...((await client.getCode({ address: owner })) === undefined ? [`${whose}, and no multi-signature wallet`] : []),
  ]
  if (weaknesses.length === 0) return
  if (stablecoin.kind === 'existing' && !isUnsafe) {
    throw new CliError('these choices do not protect real money, and a deployment cannot change them', {
      code: 'unsafe_deployment',
      why: weaknesses,
      hint: 'rfqctl chain deploy --help names the choices; --unsafe deploys all the same',
    })
  }
  for (const found of weaknesses) cli.out.note(`warning: ${found}`)
}

async function assertFeasible(
  cli: Cli,
  { client, blueprint, work }: Pick<Input, 'client' | 'blueprint'> & { work: readonly Work[] },
): Promise<void> {
  if (work.length === 0) return
  const [faults, { gas, cost, balance }] = await Promise.all([
    chainFaults(client, blueprint),
    readBudget(client, { blueprint, work }),
  ])
  if (faults.length > 0) {
    throw new CliError('the contracts cannot be deployed here', {
      code: 'unfit_chain',
      why: faults,
      hint: 'docs/guides/operator/deployment.md says what a chain must have',
    })
  }
  if (balance < cost) {
    throw new CliError('the deployer cannot pay for the deployment', {
      code: 'insufficient_gas',
      why: [
        `it may cost ${coin(cost)} of the chain's coin: ${gas} gas at current fees`,
        `${blueprint.deployer} holds ${coin(balance)}`,
      ],
      hint: `send it ${coin(cost - balance)} or more, then run this again`,
    })
  }
  cli.out.note(`${work.length} transactions, at most ${coin(cost)} of the chain's coin`)
}

function printPlan(cli: Cli, { work, planned }: { work: readonly Work[]; planned: Planned }): void {
  const { stablecoinAddress, factoryAddress, coreAddress, settlementAddress } = planned
  cli.out.print({ type: 'plan', work, ...planned }, [
    ...(work.length === 0 ? ['nothing left to do'] : work.map((each, index) => `${index + 1}. ${WORK_TEXT[each]}`)),
    `stablecoin ${stablecoinAddress}`,
    `factory    ${factoryAddress}`,
    `core       ${coreAddress}`,
    `settlement ${settlementAddress}`,
  ])
}

const notAsPlanned = (faults: readonly string[]): CliError =>
  new CliError('the deployed contracts differ from the plan: do not use them', {
    code: 'deployment_mismatch',
    why: faults,
    hint: 'find out why, or pass --again to make another deployment',
  })

/** Next steps after an interrupted deployment. */
const HINTS: Readonly<Record<DeploymentFault, string>> = {
  busy: 'wait until they are mined, then run this again',
  different: 'repeat the same choices to resume it, or pass --again to make another deployment',
  unmined: 'run this again: it keeps waiting, or sends it again with a higher fee',
  reverted: 'run this again; if it reverts again: rfqctl tx explain HASH',
}

const cutOff = ({ fault, message, why }: DeploymentError): CliError =>
  new CliError(message, { code: `deployment_${fault}`, exitCode: EXIT.chain, why, hint: HINTS[fault] })

/** One record for each deployment of a chain, in the data directory. */
function keptRecords(cli: Cli, options: { dataDir?: string }, { chainId }: Blueprint) {
  const folder = notesFolder(dataDirOf(cli, options))
  const pathOf = (coreAddress: Address) => join(folder, `${chainId}-${coreAddress.toLowerCase()}.json`)
  return {
    load: (coreAddress: Address) => readPrivateJson<DeploymentRecord>(pathOf(coreAddress)),
    save: (record: DeploymentRecord) => writePrivateJson(pathOf(record.deployment.coreAddress), record),
  }
}
