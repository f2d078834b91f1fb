def split_words(text, width):
    """The words of a text; a word longer than `width` comes in pieces."""
    words = []
    for word in text.split():
        while len(word) > width:
            words.append(word[:width])
            word = word[width:]
        words.append(word)
    return words


def split_paragraphs(text):
    """The paragraphs of a text; an empty line ends one."""
    paragraphs = []
    lines = []
    for line in text.splitlines():
        if line.strip():
            lines.append(line)
        elif lines:
            paragraphs.append(" ".join(lines))
            lines = []
    if lines:
        paragraphs.append(" ".join(lines))
    return paragraphs
