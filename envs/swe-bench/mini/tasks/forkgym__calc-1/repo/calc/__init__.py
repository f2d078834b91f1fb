from .evaluate import Calculator, evaluate
from .tokens import CalcError

__all__ = ["CalcError", "Calculator", "evaluate"]
