import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Modes } from '../../../src/relay/config/rules.ts'
import { type LoadedSettings, loadSettings, type Settings } from '../../../src/relay/config/settings.ts'
import type { Environment, SettingFlags } from '../../../src/relay/config/sources.ts'
import { newFolder, removeFolder } from '../../kit/folder.ts'

/** Loads settings as `serve` does; `file` is the text of rfqctl.config.json. */
export function load({
  flags = {},
  modes = {},
  environment = {},
  file,
}: {
  flags?: SettingFlags
  modes?: Partial<Modes>
  environment?: Environment
  file?: string
} = {}): LoadedSettings {
  const cwd = newFolder()
  try {
    if (file !== undefined) writeFileSync(join(cwd, 'rfqctl.config.json'), file)
    return loadSettings({
      flags,
      modes: { memory: false, noChain: false, chainPort: null, ...modes },
      environment,
      cwd,
    })
  } finally {
    removeFolder(cwd)
  }
}

export function loadGood(input: Parameters<typeof load>[0]): Settings {
  const { settings, faults } = load(input)
  if (settings === null) throw new Error(faults.join('\n'))
  return settings
}
