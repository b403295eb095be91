// Tests the logic in the git store port: how a commit message is formatted and parsed.
import { describe, expect, test } from 'vitest'
import { formatMessage, parseMessage } from './git-store.ts'

describe('commit messages', () => {
  const trailers = [
    ['Published-By', 'octocat'],
    ['Operation-Id', 'op-1'],
  ] as const

  test('parses a formatted message back to the same headline and trailers', () => {
    const { headline, body } = formatMessage({ headline: 'Publish acme/code-review 1.0.0', trailers })
    expect(body).toBe('Published-By: octocat\nOperation-Id: op-1')
    expect(parseMessage(`${headline}\n\n${body}\n`)).toEqual({
      headline: 'Publish acme/code-review 1.0.0',
      trailers: new Map(trailers),
    })
  })

  //  case                                     message                                           trailers
  test.each<[string, string, [string, string][]]>([
    ['an empty message', '', []],
    ['a headline that looks like a trailer', 'Operation-Id: op-1', []],
    ['a trailer in the middle of a line', 'x\n\nsee Operation-Id: op-1', []],
    ['an indented line', 'x\n\n Operation-Id: op-1', []],
    ['an empty value', 'x\n\nOperation-Id: ', []],
    ['a duplicate trailer: the first counts', 'x\n\nOperation-Id: a\nOperation-Id: b', [['Operation-Id', 'a']]],
    ['Windows line endings', 'x\r\n\r\nOperation-Id: a\r\n', [['Operation-Id', 'a']]],
    ['a value with a colon', 'x\n\nPublished-By: a: b', [['Published-By', 'a: b']]],
  ])('%s', (_, message, read) => expect(parseMessage(message).trailers).toEqual(new Map(read)))

  //  case                             headline   trailer
  test.each<[string, string, [string, string]]>([
    ['a line break in a value', 'x', ['A', 'b\nOperation-Id: c']],
    ['a carriage return in a value', 'x', ['A', 'b\rc']],
    ['a line break in the headline', 'x\n\nOperation-Id: c', ['A', 'b']],
    ['a name with a space', 'x', ['a name', 'b']],
    ['an empty value', 'x', ['A', '']],
  ])('rejects %s', (_, headline, trailer) =>
    expect(() => formatMessage({ headline, trailers: [trailer] })).toThrow(Error),
  )
})
