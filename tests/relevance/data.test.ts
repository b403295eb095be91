// Checks the format of the relevance data (see tests/relevance/README.md).

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readQuestions } from '../../scripts/bench/relevance.ts'
import { readContentDir } from '../../src/content/content-dir.ts'
import { words } from '../words.ts'

type Prompt = { owner: string; name: string; title: string; description: string; tags: string[]; content: string }

const prompts: Prompt[] = JSON.parse(readFileSync(new URL('catalogue.json', import.meta.url), 'utf8'))
const questions = readQuestions('questions.csv')
const tuning = readQuestions('tuning.csv')
const all = [...questions, ...tuning]
const second = new Set(prompts.map(({ owner, name }) => `${owner}/${name}`))
const starter = new Set(readContentDir('content').tree.repositories.keys())

const CLASSES = words`
  exact_name title_words natural_phrase synonym plural_or_verb_form spelling_variant stop_words typo joined_words
  split_words abbreviation prefix other_language
`

describe('the second relevance catalogue', () => {
  test('has at least 120 prompts with unique names, none of them in the starter catalogue', () => {
    expect(prompts.length).toBeGreaterThanOrEqual(120)
    expect(second.size).toBe(prompts.length)
    expect(new Set(prompts.map(({ content }) => content)).size).toBe(prompts.length)
    expect([...second].filter((name) => starter.has(name))).toEqual([])
  })

  test.each(prompts.map((prompt) => [`${prompt.owner}/${prompt.name}`, prompt] as const))(
    '%s has all fields, in a valid form',
    (_, prompt) => {
      expect(Object.keys(prompt)).toEqual(['owner', 'name', 'title', 'description', 'tags', 'content'])
      expect(prompt.owner).toMatch(/^[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,38}$/)
      expect(prompt.name).toMatch(/^[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,63}$/)
      expect(prompt.title.trim()).not.toBe('')
      expect(prompt.description.trim()).not.toBe('')
      expect(prompt.tags.length).toBeGreaterThan(0)
      for (const tag of prompt.tags) expect(tag).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
      const lines = prompt.content.trimEnd().split('\n')
      expect(lines.length).toBeGreaterThanOrEqual(2)
      expect(lines.length).toBeLessThanOrEqual(8)
    },
  )
})

describe('relevance questions', () => {
  test('there are at least 160, about half per catalogue, without duplicates', () => {
    expect(questions.length).toBeGreaterThanOrEqual(160)
    const share = questions.filter(({ catalogue }) => catalogue === 'starter').length / questions.length
    expect(share).toBeGreaterThan(0.4)
    expect(share).toBeLessThan(0.6)
    expect(new Set(all.map(({ q, catalogue }) => `${catalogue}: ${q.toLowerCase()}`)).size).toBe(all.length)
  })

  test('the additional tuning questions are all abbreviations from the tuning half', () => {
    expect(tuning.length).toBeGreaterThan(0)
    expect(new Set(tuning.map(({ half, class: kind }) => `${half} ${kind}`))).toEqual(new Set(['tuning abbreviation']))
  })

  test.each(all.map((question) => [question.catalogue, question.q, question] as const))(
    'valid question on the %s catalogue: %s',
    (_catalogue, q, question) => {
      expect(Object.keys(question)).toEqual(['catalogue', 'class', 'half', 'q', 'grades'])
      expect(['starter', 'second']).toContain(question.catalogue)
      expect(CLASSES).toContain(question.class)
      expect(['tuning', 'aside']).toContain(question.half)
      expect(q.trim()).toBe(q)
      expect(q.length).toBeGreaterThan(0)
      expect(q.length).toBeLessThanOrEqual(200)
      const catalogue = question.catalogue === 'starter' ? starter : second
      expect(Object.keys(question.grades).filter((name) => !catalogue.has(name))).toEqual([])
      expect(Object.values(question.grades).filter((grade) => ![1, 2, 3].includes(grade))).toEqual([])
      expect(Object.values(question.grades)).toContain(3)
    },
  )

  test.each(CLASSES)('%s: the tuning and held-out halves differ by at most one question per catalogue', (name) => {
    for (const catalogue of ['starter', 'second']) {
      const asked = questions.filter((question) => question.class === name && question.catalogue === catalogue)
      const aside = asked.filter(({ half }) => half === 'aside').length
      expect(aside).toBeGreaterThan(0)
      expect(Math.abs(asked.length - 2 * aside)).toBeLessThanOrEqual(1)
    }
  })
})
