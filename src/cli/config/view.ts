import { formatUsd6 } from '@rfqctl/protocol/domain/decimal'
import { DEFINITIONS, SETTING_NAMES, type SettingName, type Values } from '@rfqctl/relay/config/definitions'
import { describeOrigin } from '@rfqctl/relay/config/sources'
import type { Run } from '../cli.ts'
import { badSettings, loadServeSettings, type ServeOptions } from '../serve/options.ts'
import { tableLines } from '../terminal/table.ts'

type Entry = { name: SettingName; value: string | number | boolean | null; origin: string; about: string }

/** Fails like `serve` does when settings are wrong. Secrets are only shown as set. */
export const run: Run<ServeOptions & { origin?: boolean }> = async (cli, options) => {
  const { values, origins, faults, warnings } = loadServeSettings(cli, options)
  const entries = SETTING_NAMES.map((name): Entry => {
    const origin = describeOrigin(origins[name], name)
    const isGiven = origins[name] !== 'default'
    return { name, value: shownValue(name, { values, isGiven }), origin, about: DEFINITIONS[name].about }
  })
  const { colors } = cli.out
  const columns = [
    { heading: 'SETTING', cell: ({ name }: Entry) => name },
    { heading: 'VALUE', cell: ({ value }: Entry) => (value === null ? colors.dim('not set') : String(value)) },
    ...(options.origin ? [{ heading: 'FROM', cell: ({ origin }: Entry) => origin }] : []),
    { heading: 'WHAT', cell: ({ about }: Entry) => colors.dim(about) },
  ]
  cli.out.print({ type: 'settings', settings: entries, faults, warnings }, tableLines(columns, entries, cli.out))
  if (faults.length > 0) throw badSettings(faults)
}

function shownValue(name: SettingName, { values, isGiven }: { values: Values; isGiven: boolean }): Entry['value'] {
  const value = values[name]
  if (DEFINITIONS[name].isSecret) return isGiven ? '(set)' : null
  if (typeof value === 'bigint') return formatUsd6(value)
  return Array.isArray(value) ? value.join(',') : (value as Entry['value'])
}
