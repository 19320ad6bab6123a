int helper(int one) {
  return one * 2 + 7;
}
