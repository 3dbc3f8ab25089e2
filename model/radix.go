package model

// SortByKey sorts a list by rising keys, and leaves equal ones as they were: a
// radix sort. Cost: O(n) for each byte that is not the same in all keys, where
// the key is asked for three times; and memory for n more.
func SortByKey[T any](list []T, key func(*T) uint64) {
	sortByKey(list, make([]T, len(list)), key)
}

// sortByKey does so in room for as many as the list has.
func sortByKey[T any](list, room []T, key func(*T) uint64) {
	if len(list) == 0 {
		return
	}
	first, varying := key(&list[0]), uint64(0)
	for i := range list {
		varying |= key(&list[i]) ^ first
	}
	if varying == 0 {
		return
	}
	from, to := list, room
	for shift := 0; varying>>shift != 0; shift += 8 {
		if byte(varying>>shift) != 0 {
			scatter(to, from, func(e *T) byte { return byte(key(e) >> shift) })
			from, to = to, from
		}
	}
	if &from[0] != &list[0] {
		copy(list, from)
	}
}

// scatter sorts by one byte.
func scatter[T any](to, from []T, digit func(*T) byte) {
	var next [256]int // where the next of each byte goes
	for i := range from {
		next[digit(&from[i])]++
	}
	sum := 0
	for b, n := range next {
		next[b] = sum
		sum += n
	}
	for i := range from {
		b := digit(&from[i])
		to[next[b]] = from[i]
		next[b]++
	}
}

// Rising is a key for SortByKey in the order of signed numbers.
func Rising(x int64) uint64 { return uint64(x) ^ 1<<63 }
