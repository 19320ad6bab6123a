from engine.core import Connector
