from abc import ABC, abstractmethod


class Connector(ABC):
    @abstractmethod
    def load(self, block): ...
