TILES = {
    "a": 4,
    "c": 2,
}
