from .align import align, justify
from .wrap import fill, wrap

__all__ = ["align", "fill", "justify", "wrap"]
