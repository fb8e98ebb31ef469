"""What every test shares: the Hypothesis profile."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "soulpet", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=False
)
settings.load_profile("soulpet")
