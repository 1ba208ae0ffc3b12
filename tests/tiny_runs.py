"""Training runs of a second or two."""

from agents.config import Config, change_config, config_of

SAN_JUAN_HILL = "san-juan-hill"
TINY = (
    "env.num_envs=8",
    "ppo.n_steps=16",
    "ppo.batch_size=64",
    "network.pile=16",
    "network.table=16",
    "run.checkpoint_every=256",
    "run.validate_every=512",
    "run.validate_deals=5",
)


def tiny(variant: str = SAN_JUAN_HILL, *changes: str) -> Config:
    """Make a configuration that trains in a second or two, by Stable-Baselines3's loop."""
    told = {"run": {"variant": variant, "loop": "sb3"}}
    return change_config(config_of(told), [*TINY, *changes])
