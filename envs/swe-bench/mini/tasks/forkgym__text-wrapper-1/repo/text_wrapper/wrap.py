from .words import split_paragraphs, split_words


def wrap(text, width=70):
    """The lines of one paragraph, none longer than `width` characters."""
    if width < 1:
        raise ValueError("width must be at least 1")
    lines = []
    line = []
    used = 0
    for word in split_words(text, width):
        needed = len(word) + (1 if line else 0)
        if line and used + needed >= width:
            lines.append(" ".join(line))
            line = [word]
            used = len(word)
        else:
            line.append(word)
            used += needed
    if line:
        lines.append(" ".join(line))
    return lines


def fill(text, width=70, indent=""):
    """All paragraphs of a text, wrapped and indented, with an empty line between two."""
    room = width - len(indent)
    blocks = []
    for paragraph in split_paragraphs(text):
        blocks.append("\n".join(indent + line for line in wrap(paragraph, room)))
    return "\n\n".join(blocks)
