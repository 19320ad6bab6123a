class Driver:
    def find(self, frame):
        return [frame]


class Cache:
    def empty(self):
        return {}
