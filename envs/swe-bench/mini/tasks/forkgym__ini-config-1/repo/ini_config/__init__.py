from .config import Config, load
from .errors import ConfigError

__all__ = ["Config", "ConfigError", "load"]
