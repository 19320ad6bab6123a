def order(requests):
    return sorted(requests, key=cost)
