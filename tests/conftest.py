"""What all tests have in common."""

from hypothesis import HealthCheck, settings

# A machine that is busy with something else takes a hundred times as long for any one example.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
