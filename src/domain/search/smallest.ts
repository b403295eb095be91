// Owns taking the smallest of many numbers: a page of matches needs twenty in order, not all of them.

/** The numbers that would stand from one place up to another if all were sorted. @param numbers are brought into another order */
export function sliceSorted(numbers: Float64Array, from: number, to: number): Float64Array {
  const end = Math.min(to, numbers.length)
  if (from >= end) return new Float64Array()
  if (end < numbers.length) partition(numbers, end)
  if (from > 0) partition(numbers.subarray(0, end), from)
  return numbers.slice(from, end).sort()
}

/** Brings the `count` smallest numbers to the front, in no order, by quickselect with the median of three. https://en.wikipedia.org/wiki/Quickselect */
function partition(numbers: Float64Array, count: number): void {
  let low = 0
  let high = numbers.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    const [a, b, c] = [numbers[low]!, numbers[middle]!, numbers[high]!]
    const pivot = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
    let left = low
    let right = high
    while (left <= right) {
      while (numbers[left]! < pivot) left++
      while (numbers[right]! > pivot) right--
      if (left > right) break
      const kept = numbers[left]!
      numbers[left++] = numbers[right]!
      numbers[right--] = kept
    }
    if (count <= right + 1) high = right
    else if (count >= left) low = left
    else return
  }
}
