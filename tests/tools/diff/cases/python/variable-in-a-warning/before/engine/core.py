import os
import warnings


def get_bool_env(name, default="false"):
    return os.environ.get(name, default) == "true"


def warn_deprecated_env(old, new):
    warnings.warn(f"use {new} instead of {old}")


FAST = get_bool_env("ENGINE_FAST", "false")
