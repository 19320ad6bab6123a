from engine.variables import EnvBool, EnvBoolWithAlias


class Envs:
    ENGINE_LOGPROB_CHUNK = EnvBoolWithAlias(
        True, deprecated_name="ENGINE_CHUNK"
    )
