def attend(query, heads):
    assert heads <= 128, "too many heads"
    return query
