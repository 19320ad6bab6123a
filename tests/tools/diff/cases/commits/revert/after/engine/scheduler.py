def order(requests):
    return list(requests)
