package engine

// Deprecated: use PlanAll.
func Plan(size int) int {
	return size
}
