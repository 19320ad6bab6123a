from engine.variables import EnvBool


class Envs:
    ENGINE_CHUNK = EnvBool(True)
