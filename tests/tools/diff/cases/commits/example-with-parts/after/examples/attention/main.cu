// How to use the engine.
int main() { return 0; }
