package smallest

// Sizes calls visit for each list of n positive sizes of that total, in
// lexicographic order, until it returns false. The list is reused.
func Sizes(n int, total int64, visit func([]int64) bool) {
	sizes := make([]int64, n)
	var fill func(k int, left int64) bool
	fill = func(k int, left int64) bool {
		if k == n-1 {
			sizes[k] = left
			return visit(sizes)
		}
		for s := int64(1); s <= left-int64(n-1-k); s++ {
			sizes[k] = s
			if !fill(k+1, left-s) {
				return false
			}
		}
		return true
	}
	if total >= int64(n) {
		fill(0, total)
	}
}
