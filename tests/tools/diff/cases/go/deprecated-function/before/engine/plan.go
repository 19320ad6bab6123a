package engine

// Plan makes a plan.
func Plan(size int) int {
	return size
}
