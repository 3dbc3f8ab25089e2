package schedule

// depthFirst is the order that runs, for each goal in order, what it needs and
// then itself: needs in order, each with all that it needs before the next.
// Needs without cycles that include everything a unit waits for give an order
// of the dag. Cost: linear.
func DepthFirstOrder(goals []int, needs [][]int) []int {
	var order, stack []int
	next := make([]int, len(needs)) // how many needs were looked at; one more: done
	for _, goal := range goals {
		stack = append(stack, goal)
		for len(stack) > 0 {
			u := stack[len(stack)-1]
			switch n := next[u]; {
			case n < len(needs[u]):
				next[u]++
				stack = append(stack, needs[u][n])
				continue
			case n == len(needs[u]):
				next[u]++
				order = append(order, u)
			}
			stack = stack[:len(stack)-1]
		}
	}
	return order
}
