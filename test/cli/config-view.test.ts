import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DEFINITIONS, SETTING_NAMES, type SettingName } from '../../src/relay/config/definitions.ts'
import { run, temporaryDir } from './support.ts'

type Shown = { settings: { name: string; value: unknown; origin: string }[]; faults: string[]; warnings: string[] }

const environment = {
  OPERATOR_TOKEN: 'CANARY-operator-token',
  MAKER_API_KEYS: '[{"apiKey":"CANARY-maker-key-long","makerId":"alpha"}]',
  DATABASE_URL: 'postgres://user:CANARY@db/rfqctl',
}

test('every setting is shown with its value and where that is from, secrets only as set', async () => {
  const cwd = temporaryDir()
  writeFileSync(join(cwd, 'rfqctl.config.json'), '{"MAX_CANDIDATES": 3}')
  const { code, stdout } = await run(['config', 'view', '--json', '--port', '0'], { environment, cwd })
  const { settings, faults } = JSON.parse(stdout) as Shown
  const find = (name: string) => settings.find((setting) => setting.name === name)
  expect(code).toBe(0)
  expect(faults).toEqual([])
  expect(stdout).not.toContain('CANARY')
  expect(find('PORT')).toMatchObject({ value: 0, origin: 'flag --port' })
  expect(find('MAX_CANDIDATES')).toMatchObject({ value: 3, origin: 'rfqctl.config.json' })
  expect(find('OPERATOR_TOKEN')).toMatchObject({ value: '(set)', origin: 'environment' })
  expect(find('RPC_URL')).toMatchObject({ value: null, origin: 'default' })
  expect(find('FAUCET_AMOUNT')).toMatchObject({ value: '1000' })
})

test('a secret that no one has given is not set, whatever holds in its place', async () => {
  const secrets = SETTING_NAMES.filter((name) => DEFINITIONS[name].isSecret)
  const { stdout } = await run(['config', 'view', '--json'], { cwd: temporaryDir() })
  const { settings } = JSON.parse(stdout) as Shown
  expect(secrets).toContain('OTEL_EXPORTER_OTLP_HEADERS')
  expect(settings.filter(({ name, value }) => secrets.includes(name as SettingName) && value !== null)).toEqual([])
})

test('people read a table, with origins when asked', async () => {
  const { stdout } = await run(['config', 'view', '--origin'], { cwd: temporaryDir() })
  expect(stdout.split('\n')[0]).toMatch(/^SETTING +VALUE +FROM +WHAT$/)
  expect(stdout).toMatch(/^PORT +8787 +default +Port to listen on/m)
  expect((await run(['config', 'view'], { cwd: temporaryDir() })).stdout).not.toContain('FROM')
})

test('wrong settings are shown and then refused, all at once', async () => {
  const { code, stdout, stderr } = await run(['config', 'view', '--port', '70000', '--memory', '--host', '0.0.0.0'], {
    cwd: temporaryDir(),
  })
  expect(code).toBe(2)
  expect(stdout).toContain('SETTING')
  expect(stderr).toBe(
    [
      'error: 2 settings are wrong',
      '  PORT (flag --port) is not an integer from 0 to 65535',
      '  --memory without MAKER_API_KEYS lets anyone quote, which HOST 0.0.0.0 does not allow',
      '  try: rfqctl config view --origin',
      '',
    ].join('\n'),
  )
})
