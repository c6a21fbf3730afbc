#!/usr/bin/env node
// What forge calls in place of a solc binary: npm's compiler behind the two questions that forge asks.
import { readFileSync, writeSync } from 'node:fs'
import solc from 'solc'

/** A pipe may take less than the whole answer at a time. @param {string} text */
function print(text) {
  let rest = Buffer.from(text)
  while (rest.length > 0) rest = rest.subarray(writeSync(1, rest))
}

if (process.argv.includes('--version')) print(`solc, the solidity compiler\nVersion: ${solc.version()}\n`)
else if (process.argv.includes('--standard-json')) print(solc.compile(readFileSync(0, 'utf8')))
else throw new Error(`forge asked for ${process.argv.slice(2).join(' ')}`)
