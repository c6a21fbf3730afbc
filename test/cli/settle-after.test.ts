import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addUpCommand } from '../../src/cli/up/index.ts'

/** What `up` is run with for some flags. */
async function optionsOf(...flags: string[]): Promise<Record<string, unknown>> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} })
  let options: Record<string, unknown> = {}
  addUpCommand(program, (command) =>
    command.action(() => {
      options = command.opts()
    }),
  )
  await program.parseAsync(['up', ...flags], { from: 'user' })
  return options
}

test('an expired series is left for a minute, for another time, or for good', async () => {
  expect(await optionsOf()).toMatchObject({ settleAfter: 60_000 })
  expect(await optionsOf('--settle-after', '10m')).toMatchObject({ settleAfter: 600_000 })
  expect(await optionsOf('--settle-after', 'never')).toMatchObject({ settleAfter: Number.POSITIVE_INFINITY })
  await expect(optionsOf('--settle-after', 'soon')).rejects.toThrow('Expected a duration')
})
