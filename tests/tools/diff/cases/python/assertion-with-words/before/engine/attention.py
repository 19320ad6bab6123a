def attend(query, heads):
    assert heads <= 64, "too many heads"
    return query
