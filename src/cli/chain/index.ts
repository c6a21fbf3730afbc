import type { Role } from '@rfqctl/client/authority'
import { type Command, Option } from 'commander'
import { type Attach, chainOptions, keyOptions, sendOptions } from '../declare/command.ts'
import { parseCap, parseChainId, parseCount, parseDuration, parseDurationUpTo, parsePort } from '../declare/parse.ts'
import { SERIES } from '../series/index.ts'

export function addChainCommands(program: Command, attach: Attach): void {
  const chain = program.command('chain').description('The local chain')

  const start = chain.command('start').description('Run a local chain until Ctrl-C')
  start.option('--port <port>', 'port to listen on, 0 picks a free one', parsePort, 8545)
  attach(start, () => import('./chain.ts'), 'startChain', ['rfqctl chain start --port 0'])

  const deploy = keyOptions(
    chainOptions(
      chain
        .command('deploy')
        .description('Deploy the contracts, or resume a deployment; needs a key, except on a local Anvil'),
    ),
  )
    .option('--chain-id <id>', 'expected id of the chain (default: CHAIN_ID, 80002)', parseChainId)
    .option('--owner <address>', 'owner of the core (default: the deployer)')
    .option('--registrar <address>', 'registers series (default: the owner)')
    .option('--guardian <address>', 'halts series, vetoes prices, revokes the signer (default: the owner)')
    .option('--halter <address>', 'halts series, and nothing else (default: no one but guardian and owner)')
    .option('--resolution-signer <address>', 'key or contract that signs resolutions')
    .addOption(
      new Option(
        '--signers <keys>',
        'keys, separated by commas, of a contract that signs by several of them',
      ).conflicts('resolutionSigner'),
    )
    .option('--threshold <count>', 'with --signers: how many of them have to sign', parseCount)
    .option(
      '--trading-cutoff <duration>',
      'time before an expiry in which its series do not trade, at most 7d (default: 0s)',
      parseDurationUpTo('7d'),
    )
    .option(
      '--dispute-window <duration>',
      'time in which a price can be vetoed, at most 7d (default: 0s)',
      parseDurationUpTo('7d'),
    )
    .option('--conditional-tokens <address>', 'contract whose payouts settle what no one else has settled')
    .option('--minter <address>', 'wallet of the faucet, which mints the test stablecoin')
    .addOption(
      new Option('--stablecoin <address>', 'an existing stablecoin with 6 decimals, instead of a test one').conflicts(
        'minter',
      ),
    )
    .option('--unsafe', 'deploy over an existing stablecoin although doctor --production refuses these choices')
    .option('--worthless', 'deploy the test stablecoin even if the chain is not a known test network')
    .option('--token-uri <uri>', 'ERC-1155 metadata URI of the options, which can never be changed', '')
    .option('--again', 'make another deployment with this deployer')
    .option('--dry-run', 'only show what would be sent, and the resulting addresses')
    .option('--standard-json <directory>', 'write there what block explorers verify the source code by')
  attach(deploy, () => import('./deploy.ts'), 'deploy', [
    'rfqctl chain deploy',
    'rfqctl chain deploy --json > rfqctl.config.json',
  ])

  const verify = chainOptions(
    chain
      .command('verify')
      .description('Compare the code at the configured addresses with that of this version, byte by byte'),
  ).option('--deployer <address>', 'whether the addresses are those that this deployer has on each chain')
  attach(verify, () => import('./verify.ts'), 'verify', ['rfqctl chain verify'])

  addHaltCommands(chain, attach)
  for (const role of ROLES) addRoleCommands(chain, attach, role)
  const registrar = sendOptions(
    chain.command('registrar').description('Name who registers series beside the owner, at once'),
    OWNER,
  ).argument('<address>', 'who registers series, or none')
  attach(registrar, () => import('./authority.ts'), 'setRegistrar', [`rfqctl chain registrar ${ADDRESS}`])

  const halter = sendOptions(
    chain.command('halter').description('Name who halts series beside guardian and owner, at once'),
    OWNER,
  ).argument('<address>', 'who halts series, or none')
  attach(halter, () => import('./authority.ts'), 'setHalter', [`rfqctl chain halter ${ADDRESS}`])

  const cap = sendOptions(
    chain
      .command('cap')
      .description('Cap what all series of a market and expiry can have to pay; for those registered later'),
    OWNER,
  ).argument('<usd>', 'dollars such as 250000, or none', parseCap)
  attach(cap, () => import('./authority.ts'), 'setCap', ['rfqctl chain cap 250000'])

  const status = chainOptions(chain.command('status').description('Show head, time and contracts'))
  attach(status, () => import('./chain.ts'), 'showStatus', ['rfqctl chain status'])

  const warp = chainOptions(chain.command('warp').description('Move the time of a local chain forward'))
  attach(warp.argument('<duration>', 'such as 90s, 30m, 1h or 2d', parseDuration), () => import('./chain.ts'), 'warp', [
    'rfqctl chain warp 1h',
  ])
}

/** The sandbox's wallet that owns the core. */
const OWNER = 'registrar'

function addHaltCommands(chain: Command, attach: Attach): void {
  const series = (command: Command) => sendOptions(command, OWNER).argument('[series...]', SERIES)
  const halt = series(
    chain
      .command('halt')
      .description('Stop new options of series and of packages with them; claims and closes stay open'),
  )
  attach(halt.option('--all', 'every series that is open'), () => import('./authority.ts'), 'halt', [
    'rfqctl chain halt @1 @2',
    'rfqctl chain halt --all --calldata > halt.json',
  ])
  const resume = series(chain.command('resume').description('Let new options of halted series be written again'))
  attach(resume.option('--all', 'every series that is open'), () => import('./authority.ts'), 'resume', [
    'rfqctl chain resume @1',
  ])
}

/** Roles that change hands by a proposal. */
const ROLES: readonly { role: Role; about: string; title: string }[] = [
  { role: 'signer', about: 'Who signs resolutions', title: 'the resolution signer' },
  { role: 'guardian', about: 'Who halts, vetoes and revokes', title: 'the guardian' },
  { role: 'owner', about: 'Who owns the core', title: 'the owner' },
]

const KEYS = ['01', '02', '03'].map((byte) => `0x${byte.repeat(20)}`)

const ADDRESS = '0x0101010101010101010101010101010101010101'

function addRoleCommands(chain: Command, attach: Attach, { role, about, title }: (typeof ROLES)[number]): void {
  const noun = chain.command(role).description(about)
  const propose = sendOptions(
    noun.command('propose').description(`Propose who shall be ${title}, which starts the notice`),
    OWNER,
  ).argument('<address>', 'who shall hold the role')
  attach(propose, async () => (await import('./authority.ts')).ROLE_ACTS.propose, role, [
    `rfqctl chain ${role} propose ${ADDRESS}`,
  ])
  const accept = sendOptions(
    noun.command('accept').description(`Make who is proposed ${title}, after the notice`),
    OWNER,
  )
  attach(accept, async () => (await import('./authority.ts')).ROLE_ACTS.accept, role, [`rfqctl chain ${role} accept`])
  if (role === 'signer') addSignerCreation(noun, attach)
  const revoke = sendOptions(
    noun
      .command('revoke')
      .description(role === 'signer' ? `Remove ${title} at once, current or proposed` : 'Take a proposal back'),
    OWNER,
  )
  if (role === 'signer') revoke.argument('[address]', 'who is removed (default: the current one)')
  attach(revoke, async () => (await import('./authority.ts')).ROLE_ACTS.revoke, role, [`rfqctl chain ${role} revoke`])
}

/** It has no role until it is proposed and accepts. */
function addSignerCreation(noun: Command, attach: Attach): void {
  const create = keyOptions(
    chainOptions(noun.command('create').description('Create a contract of several keys that sign together')),
  )
    .argument('<key...>', 'addresses of the keys')
    .requiredOption('--threshold <count>', 'how many of them have to sign', parseCount)
    .option('--dry-run', 'only show the resulting address')
  attach(create, () => import('./quorum.ts'), 'createSigner', [
    `rfqctl chain signer create ${KEYS.join(' ')} --threshold 2`,
  ])
}
