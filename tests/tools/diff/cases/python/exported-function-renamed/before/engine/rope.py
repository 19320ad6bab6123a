def apply_rope(query, key, positions):
    cos, sin = table(positions)
    query = query * cos + rotate(query) * sin
    key = key * cos + rotate(key) * sin
    return query, key
