import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { findProgram } from '../../src/sandbox/services/services.ts'
import { spawnProgram } from '../kit/child.ts'
import { eventually } from '../kit/eventually.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { keep } from '../kit/keep.ts'
import { findFreePort } from './free-port.ts'

/** A proxy of docs/deploy in front of relays, on a port of its own and with a certificate of its own. */
export type OwnProxy = {
  url: string
  wsUrl: string
  /** All that it has written: access, errors, and what it says itself. */
  logged: () => string
  stop: () => Promise<void>
}

/** Where a proxy finds what a test makes for it. */
type Place = { dir: string; port: number; nodes: readonly string[]; certificate: string; key: string }

const PATH = `${process.env.PATH ?? ''}:/usr/sbin`
const NGINX = findProgram('nginx', PATH)
const CADDY = findProgram('caddy', PATH)
const OPENSSL = findProgram('openssl', PATH)

/** Whether each proxy is installed, with what makes it a certificate. */
export const HAS_NGINX: boolean = NGINX !== null && OPENSSL !== null
export const HAS_CADDY: boolean = CADDY !== null && OPENSSL !== null

const page = (name: string) => readFileSync(new URL(`../../docs/deploy/${name}`, import.meta.url), 'utf8')

/** A file with some of its text replaced, each exactly where it stands: a file that no longer has it is not what is tried. */
function replaceEach(text: string, replacements: readonly (readonly [from: string, to: string])[]): string {
  return replacements.reduce((changed, [from, to]) => {
    if (changed.split(from).length !== 2) throw new Error(`the file has "${from}" not once`)
    return changed.replace(from, () => to)
  }, text)
}

/** nginx as docs/deploy/nginx.conf has it; only addresses, the certificate and the logs are a test's own. */
export function createOwnNginx(nodes: readonly string[]): Promise<OwnProxy> {
  return start(nodes, NGINX, (place) => {
    const { dir, port, certificate, key } = place
    const site = replaceEach(page('nginx.conf'), [
      ['server 127.0.0.1:8787 max_fails=0;', place.nodes.map((node) => `server ${node} max_fails=0;`).join('\n')],
      ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
      ['/etc/ssl/relay.example.pem', certificate],
      ['/etc/ssl/relay.example.key', key],
      ['/var/log/nginx/rfqctl.log', join(dir, 'access.log')],
      ['/var/log/nginx/rfqctl-error.log', join(dir, 'error.log')],
    ])
    const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir}/${name};`)
    // One process: the worker of a master that is killed would stay, and so would its port.
    const head = `daemon off; master_process off; pid ${dir}/pid; error_log ${dir}/start.log;`
    writeFileSync(
      join(dir, 'nginx.conf'),
      `${head} events { worker_connections 512; } http { ${own.join(' ')}\n${site}}`,
    )
    return {
      args: ['-e', `${dir}/start.log`, '-c', `${dir}/nginx.conf`],
      logs: ['access.log', 'error.log', 'start.log'],
    }
  })
}

/** Caddy as docs/deploy/Caddyfile has it; only addresses and the certificate are a test's own. */
export function createOwnCaddy(nodes: readonly string[]): Promise<OwnProxy> {
  return start(nodes, CADDY, ({ dir, port, certificate, key, ...place }) => {
    const site = replaceEach(page('Caddyfile'), [
      ['{\n\t# One log', '{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n\t# One log'],
      ['relay.example {', `https://127.0.0.1:${port} {\n\ttls ${certificate} ${key}`],
      ['reverse_proxy 127.0.0.1:8787 {', `reverse_proxy ${place.nodes.join(' ')} {`],
    ])
    writeFileSync(join(dir, 'Caddyfile'), site)
    return { args: ['run', '--config', join(dir, 'Caddyfile'), '--adapter', 'caddyfile'], logs: [] }
  })
}

async function start(
  nodes: readonly string[],
  program: string | null,
  configure: (place: Place) => { args: string[]; logs: string[] },
): Promise<OwnProxy> {
  const dir = newFolder()
  const port = await findFreePort()
  const hosts = nodes.map((url) => new URL(url).host)
  const { args, logs } = configure({ dir, port, nodes: hosts, ...createCertificate(dir) })
  const home = join(dir, 'home')
  mkdirSync(home)
  const child = spawnProgram([program as string, ...args], {
    cwd: dir,
    env: { PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
  })
  keep(() => child.signal('SIGKILL'))
  const said = () => child.stdout() + child.stderr()
  await eventually(() => {
    if (child.process.exitCode !== null) throw new Error(`the proxy ended with ${child.process.exitCode}: ${said()}`)
    return isListening(port)
  })
  return {
    url: `https://127.0.0.1:${port}`,
    wsUrl: `wss://127.0.0.1:${port}`,
    logged: () => [said(), ...logs.map((name) => readFileSync(join(dir, name), 'utf8'))].join('\n'),
    stop: async () => {
      child.signal('SIGTERM')
      await child.exited
      removeFolder(dir)
    },
  }
}

/** A certificate for the loopback that no one vouches for. */
function createCertificate(dir: string): { certificate: string; key: string } {
  const certificate = join(dir, 'certificate.pem')
  const key = join(dir, 'key.pem')
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const whose = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  const made = ['-keyout', key, '-out', certificate]
  execFileSync(OPENSSL as string, ['req', '-x509', ...curve, ...whose, ...made], { stdio: 'ignore' })
  return { certificate, key }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return once(socket, 'connect')
    .then(() => true)
    .catch(() => false)
    .finally(() => socket.destroy())
}
