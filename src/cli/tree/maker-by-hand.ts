import type { Command } from 'commander'
import { type Attach, withExamples } from './command.ts'
import { chainOptions, makerOptions, relayOptions } from './options.ts'
import { parseCount, parseDuration, parseUsd } from './parse.ts'

const QUOTE = 'a quoteId or requestId, shortened as you like (default: the one that waits)'

/** A maker's trade step by step, as a person makes it. */
export function addMakerByHand(maker: Command, attach: Attach): void {
  const signing = (command: Command) => chainOptions(relayOptions(makerOptions(command)))

  const quote = signing(maker.command('quote').description('Quote by hand, or quote anew'))
    .argument('[request]', 'a requestId, shortened as you like (default: the newest open request)')
    .requiredOption('--price <usd>', 'dollars per option', parseUsd)
    .requiredOption('--size <count>', 'most options to write, or to take', parseCount)
    .option('--lifetime <duration>', 'time that the quote stands (default: while the request is open)', parseDuration)
  attach(
    withExamples(quote, 'rfqctl maker quote --account maker-4 --price 0.2 --size 1000'),
    () => import('../commands/maker-quote.ts'),
  )

  const waiting = (command: Command) =>
    signing(command)
      .argument('[quote]', QUOTE)
      .option('--wait <duration>', 'wait for an order (default: it is there, or the command ends)', parseDuration)
  const confirm = waiting(maker.command('confirm').description('Sign the order of a quote that won'))
  attach(
    withExamples(confirm, 'rfqctl maker confirm --account maker-4 --wait 5m'),
    () => import('../commands/maker-confirm.ts'),
  )
  const decline = waiting(
    maker.command('decline').description('Refuse to sign; the next maker is asked at once'),
  ).option('--reason <text>', 'why, for the operator')
  attach(
    withExamples(decline, 'rfqctl maker decline --account maker-4 --wait 5m --reason "price moved"'),
    () => import('../commands/maker-decline.ts'),
  )
}
