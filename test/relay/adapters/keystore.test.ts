import { encryptKeystoreJsonSync, Wallet } from 'ethers'
import { expect, test } from 'vitest'
import { type EncryptedKey, encryptKey, openKey, parseKeystore } from '../../../src/relay/adapters/keystore.ts'

const KEY = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const ADDRESS = '0x008AeEda4D805471dF9b2A5B0f38A0C3bCBA786b'

/** A keystore as another library writes it, made quick to open. */
const written = encryptKeystoreJsonSync({ address: ADDRESS, privateKey: KEY }, 'pass', { scrypt: { N: 1_024 } })

/** The test vector of the Web3 secret storage definition, with PBKDF2. */
const VECTOR = JSON.stringify({
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262_144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
})

const keystoreIn = (text: string): EncryptedKey => {
  const keystore = parseKeystore(text)
  if (keystore === null) throw new Error('This is no keystore.')
  return keystore
}

test('a keystore of another library is opened by its password, and by no other', () => {
  expect(openKey(keystoreIn(written), 'pass')).toBe(KEY)
  expect(openKey(keystoreIn(written), 'passed')).toBeNull()
})

test('the test vector of the definition is opened', () => {
  expect(openKey(keystoreIn(VECTOR), 'testpassword')).toBe(KEY)
})

test('another library opens what is encrypted here, and no two files are alike', () => {
  const encrypt = () => JSON.stringify(encryptKey({ address: ADDRESS, privateKey: KEY }, 'pass', { n: 1_024 }))
  const encrypted = encrypt()
  expect(Wallet.fromEncryptedJsonSync(encrypted, 'pass')).toMatchObject({ address: ADDRESS, privateKey: KEY })
  expect(encrypt()).not.toBe(encrypted)
})

test('a guess at the password costs what it costs with geth', () => {
  const { crypto } = encryptKey({ address: ADDRESS, privateKey: KEY }, 'pass')
  expect(crypto.kdfparams).toMatchObject({ n: 262_144, r: 8, p: 1, dklen: 32 })
})

test('a damaged keystore is not opened', () => {
  const { crypto, ...rest } = keystoreIn(written)
  const flipped = `${crypto.ciphertext.slice(0, -1)}${crypto.ciphertext.endsWith('0') ? 1 : 0}`
  expect(openKey({ ...rest, crypto: { ...crypto, ciphertext: flipped } }, 'pass')).toBeNull()
  expect(openKey({ ...rest, crypto: { ...crypto, kdf: 'md5' as 'scrypt' } as never }, 'pass')).toBeNull()
})

test.each(['', KEY, 'null', '[]', '{"version":3}', '{"version":1,"crypto":{"ciphertext":""}}'])(
  '%j is no keystore',
  (text) => {
    expect(parseKeystore(text)).toBeNull()
  },
)
