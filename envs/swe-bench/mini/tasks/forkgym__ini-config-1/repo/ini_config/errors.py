class ConfigError(ValueError):
    """The text is not well formed, or a value cannot be made."""
