import { type Command, Option } from 'commander'
import { type Attach, withExamples } from '../declare/command.ts'
import { chainOptions, makerOptions, relayOptions } from '../declare/options.ts'
import { parseCount, parseDuration, parseNonce, parseUsd } from '../declare/parse.ts'

const QUOTE = 'a quoteId or requestId, which may be shortened (default: the one that waits)'

/** A maker's trade step by step, as a person makes it. */
export function addMakerByHand(maker: Command, attach: Attach): void {
  const signing = (command: Command) => chainOptions(relayOptions(makerOptions(command)))

  const quote = signing(maker.command('quote').description('Submit or update a quote'))
    .argument('[request]', 'a requestId, which may be shortened (default: the newest open request)')
    .requiredOption('--price <usd>', 'dollars per option', parseUsd)
    .requiredOption('--size <count>', 'the most options to write or buy', parseCount)
    .option('--lifetime <duration>', 'lifetime of the quote (default: while the request is open)', parseDuration)
  attach(
    withExamples(quote, 'rfqctl maker quote --account maker-4 --price 0.2 --size 1000'),
    async () => (await import('./quote.ts')).run,
  )

  const waiting = (command: Command) =>
    signing(command)
      .argument('[quote]', QUOTE)
      .option('--wait <duration>', 'wait this long for an order (default: do not wait)', parseDuration)
  const confirm = waiting(maker.command('confirm').description('Sign the order of a quote that won'))
  attach(
    withExamples(confirm, 'rfqctl maker confirm --account maker-4 --wait 5m'),
    async () => (await import('./confirm.ts')).run,
  )
  const decline = waiting(
    maker.command('decline').description('Refuse to sign; the next maker is asked at once'),
  ).option('--reason <text>', 'reason to give to the operator')
  attach(
    withExamples(decline, 'rfqctl maker decline --account maker-4 --wait 5m --reason "price moved"'),
    async () => (await import('./decline.ts')).run,
  )

  const withdraw = relayOptions(makerOptions(maker.command('withdraw').description('Withdraw live quotes')))
    .argument('[quote]', 'a quoteId or requestId, which may be shortened (default: your only live quote)')
    .option('--all', 'withdraw every live quote')
  attach(
    withExamples(withdraw, 'rfqctl maker withdraw --account maker-4 --all'),
    async () => (await import('./withdraw.ts')).run,
  )

  const history = relayOptions(
    makerOptions(maker.command('history').description('Show how your quotes ended, oldest first')),
  )
    .option('--since <duration>', 'how far back (default: everything kept)', parseDuration)
    .addOption(new Option('--status <status>', 'only quotes that ended like this').choices(['confirmed', 'rejected']))
  attach(
    withExamples(history, 'rfqctl maker history --account maker-1 --since 1h --status confirmed'),
    async () => (await import('./history.ts')).run,
  )

  const cancelNonce = chainOptions(
    relayOptions(
      makerOptions(maker.command('cancel-nonce').description('Cancel a signed order on chain, by its nonce')),
    ),
  ).argument('<nonce>', 'the nonce of the order, as in "rfqctl maker history"', parseNonce)
  attach(
    withExamples(cancelNonce, 'rfqctl maker cancel-nonce 4294967297 --account maker-4'),
    async () => (await import('./cancel-nonce.ts')).run,
  )
}
