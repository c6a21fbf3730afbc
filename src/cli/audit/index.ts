import type { Command } from 'commander'
import { type Attach, relayOptions } from '../declare/command.ts'
import { parseDuration, parseMonth } from '../declare/parse.ts'

const REQUEST =
  'a requestId, or of your own a row of the last "taker requests" such as @1, or a shortened requestId (default: your newest request)'

export function addAuditCommand(program: Command, attach: Attach): void {
  const audit = relayOptions(
    program
      .command('audit')
      .description('Show the audit log of a request: quotes, refusals, who was asked and who signed'),
  )
    .argument('[request]', REQUEST)
    .option('--ascii', 'ASCII characters only')
  attach(audit, () => import('./audit.ts'), 'run', ['rfqctl audit'])

  const transcript = relayOptions(
    audit
      .command('transcript')
      .description('Save the file that shows, with proofs, how the price of a request was found'),
  )
    .argument('[request]', REQUEST)
    .option('--out <file>', 'where to write it (default: REQUESTID.transcript.json in this folder)')
  attach(transcript, () => import('./transcript.ts'), 'run', ['rfqctl audit transcript --out trade.json'])

  const verify = audit
    .command('verify')
    .description('Verify such a file without the relay: signature, proofs, ranks, winner, amounts')
    .argument('<file>', 'the file of a transcript')
    .option('--log-key <key>', 'verifier key of the log, from a source that you trust (default: those in the file)')
    .option('--checkpoint <file>', 'a checkpoint that you have seen: the log of the file must be the same one')
    .option('--url <url>', 'where to read the proof that the larger of two checkpoints extends the smaller one')
  attach(verify, () => import('./verify.ts'), 'run', ['rfqctl audit verify trade.json'])

  const quality = relayOptions(
    audit
      .command('quality')
      .description('Show how soon makers answer, how often they do not sign, and how much better their quotes are'),
  )
    .argument('[files...]', 'transcripts to add it up from (default: ask the relay, which does so from its log)')
    .option('--month <month>', 'a month of UTC, such as 2027-01 (default: this one; of files: all)', parseMonth)
    .option('--log-key <key>', 'verifier key of the log of the files (default: those in each)')
  attach(quality, () => import('./quality.ts'), 'run', ['rfqctl audit quality', 'rfqctl audit quality trade.json'])

  const monitor = relayOptions(
    audit
      .command('monitor')
      .description('Follow the transparency log, and report two checkpoints that do not extend each other'),
  )
    .option('--log-key <key>', 'verifier key of the log (default: those that the relay named first)')
    .option('--every <duration>', 'time between two looks', parseDuration, 10_000)
    .option('--for <duration>', 'stop after this time (default: at Ctrl-C)', parseDuration)
  attach(monitor, () => import('./monitor.ts'), 'run', ['rfqctl audit monitor --for 2s'])
}
