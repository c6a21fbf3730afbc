import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseYaml } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { DEFINITIONS, SETTING_NAMES } from '../../src/relay/config/definitions.ts'
import { CONFIG_FILE } from '../../src/relay/config/sources.ts'
import { ROOT } from '../kit/build.ts'
import { deployFile, dockerfile, instructions, seenByDocker } from '../support/deploy-files.ts'

type Secret = string | { source: string; target: string }
type Service = {
  image: string
  read_only: boolean
  cap_drop: string[]
  security_opt: string[]
  build?: { context: string; dockerfile: string }
  command?: string[]
  environment?: Record<string, string>
  secrets?: Secret[]
  volumes?: string[]
  ports?: string[]
  networks?: string[]
  depends_on?: string[] | Record<string, unknown>
  healthcheck?: { test: string[] }
  stop_grace_period?: string
}
type Compose = {
  services: Record<string, Service>
  networks: Record<string, { internal?: boolean; ipam?: { config: { subnet: string; gateway: string }[] } }>
  volumes: Record<string, null>
  secrets: Record<string, { file: string }>
}

const compose = parseYaml(deployFile('compose.yaml')) as Compose
const services = Object.entries(compose.services)
const service = (name: string): Service => compose.services[name] as Service
const proxiesPage = readFileSync(join(ROOT, 'docs/guides/operator/proxies.md'), 'utf8')

/** The volumes of a service that come from a file beside this one: which file, and where it is in the container. */
const files = ({ volumes = [] }: Service) =>
  volumes.flatMap((volume) => {
    const [from = '', to = '', mode] = volume.split(':')
    return from.startsWith('.') ? [{ from, to, mode }] : []
  })

describe('compose.yaml', () => {
  it.each(services)(
    'gives %s no rights that it does not need',
    (_, { read_only, cap_drop, security_opt, ports = [] }) => {
      expect({ read_only, cap_drop, security_opt }).toEqual({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
      // What the machine offers to others is for its proxy to say.
      expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
    },
  )

  it.each(services)('%s has a check of its health, and names only what there is', (name, service) => {
    const health = name === 'relay' ? dockerfile('HEALTHCHECK') : service.healthcheck?.test
    expect(health?.length).toBeGreaterThan(1)
    const volumes = (service.volumes ?? []).filter((volume) => !volume.startsWith('.'))
    expect(volumes.filter((volume) => !Object.hasOwn(compose.volumes, volume.split(':')[0] as string))).toEqual([])
    expect((service.networks ?? []).filter((network) => !Object.hasOwn(compose.networks, network))).toEqual([])
    const secrets = (service.secrets ?? []).map((secret) => (typeof secret === 'string' ? secret : secret.source))
    expect(secrets.filter((secret) => !Object.hasOwn(compose.secrets, secret))).toEqual([])
    const needed = Array.isArray(service.depends_on) ? service.depends_on : Object.keys(service.depends_on ?? {})
    expect(needed.filter((other) => !Object.hasOwn(compose.services, other))).toEqual([])
    for (const { from, mode } of files(service)) {
      expect(existsSync(join(ROOT, 'docs/deploy', from)) ? mode : `${from} is missing`).toBe('ro')
    }
  })

  it('names hosts that are services which the one that names them can reach', () => {
    const networksOf = (name: string) => service(name).networks ?? ['default']
    const named = services.flatMap(([name, { environment = {} }]) =>
      Object.values(environment).flatMap((value) => {
        const host = /^[a-z]+:\/\/([a-z]+):\d+/.exec(value)?.[1]
        return host === undefined ? [] : [{ name, host }]
      }),
    )
    expect(named).toEqual([{ name: 'relay', host: 'redis' }])
    const others = [
      { name: 'prometheus', host: /targets: \['([a-z]+):8787'\]/.exec(deployFile('prometheus.yml'))?.[1] ?? '' },
      { name: 'grafana', host: /url: http:\/\/([a-z]+):9090/.exec(deployFile('grafana/datasources.yml'))?.[1] ?? '' },
      { name: 'relay', host: 'postgres' },
    ]
    for (const { name, host } of [...named, ...others]) {
      expect(networksOf(host).filter((network) => networksOf(name).includes(network))).not.toEqual([])
    }
    // Those that hold what the relay keeps reach no one else.
    for (const name of ['postgres', 'redis']) expect(networksOf(name)).toEqual(['store'])
    expect(compose.networks.store).toEqual({ internal: true })
  })

  it('sets settings of the relay that there are, and none that is secret but the place of a Redis without a password', () => {
    const names = Object.keys({ ...service('relay').environment, ...dockerfile('ENV') }).filter(
      (name) => name !== 'NODE_ENV',
    )
    expect(names.filter((name) => !(SETTING_NAMES as readonly string[]).includes(name))).toEqual([])
    const secret = names.filter((name) => DEFINITIONS[name as keyof typeof DEFINITIONS].isSecret)
    expect(secret).toEqual(['REDIS_URL'])
    for (const name of secret) expect(service('relay').environment?.[name]).not.toContain('@')
  })

  it('trusts the machine that it is on, and no other proxy', () => {
    const [{ gateway } = { gateway: '' }] = compose.networks.default?.ipam?.config ?? []
    expect(service('relay').environment?.TRUST_PROXY).toBe(gateway)
  })

  it('gives the relay its settings where it looks for them, and waits for its drain', () => {
    const workdir = instructions().findLast(({ name }) => name === 'WORKDIR')?.text
    const targets = (service('relay').secrets ?? []).map((secret) => (typeof secret === 'string' ? '' : secret.target))
    expect(targets).toEqual([`${workdir}/${CONFIG_FILE}`])
    expect(Number(/^(\d+)s$/.exec(service('relay').stop_grace_period ?? '')?.[1])).toBeGreaterThan(20)
    expect(service('relay').volumes).toEqual([`relay:${dockerfile('ENV').DATA_DIR}`])
    expect(service('relay').ports).toEqual([`127.0.0.1:8787:${dockerfile('ENV').PORT}`])
    expect(instructions().find(({ name }) => name === 'EXPOSE')?.text).toBe(dockerfile('ENV').PORT)
    expect(dockerfile('ENV').PORT).toBe(String(DEFINITIONS.PORT.fallback))
  })

  it('shows Grafana the dashboard and Prometheus its rules at the places that their settings name', () => {
    const provider = parseYaml(deployFile('grafana/dashboards.yml')) as { providers: { options: { path: string } }[] }
    const dashboards = files(service('grafana')).filter(({ from }) => from.endsWith('.json'))
    expect(dashboards.map(({ to }) => to)).toEqual([`${provider.providers[0]?.options.path}/rfqctl.json`])
    const rules = parseYaml(deployFile('prometheus.yml')) as { rule_files: string[] }
    const config = service('prometheus').command?.[0]?.replace('--config.file=', '')
    const mounted = files(service('prometheus')).map(({ to }) => to)
    expect(mounted).toEqual([config, ...rules.rule_files.map((file) => `/etc/prometheus/${file}`)])
  })

  it('has a sentence for each file that an operator makes', () => {
    const made = Object.values(compose.secrets).map(({ file }) => file.replace('./', ''))
    expect(made).toHaveLength(3)
    for (const file of made) {
      expect(proxiesPage).toContain(file)
      expect(deployFile('compose.yaml')).toContain(`#   ${file}`)
    }
  })
})

describe('the Dockerfile', () => {
  it('sees all that the package and its build are made from, and no folder that may hold a key', async () => {
    const { INPUTS } = await import('../../scripts/build.mjs' as string)
    const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] }
    const needed = [...INPUTS, ...files.filter((path) => path !== 'dist' && !path.startsWith('!')), 'package.json']
    const seen = seenByDocker()
    const isSeen = (path: string) => seen.some((start) => path === start || path.startsWith(`${start}/`))
    expect(needed.filter((path) => !isSeen(path))).toEqual([])
    expect(seen.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    expect(deployFile('Dockerfile.dockerignore')).toMatch(/^\*$/m)
    expect(seen.some((path) => /node_modules|rfqctl|env|git/.test(path))).toBe(false)
  })
})
