def write_field(value, delimiter=",", quote='"'):
    text = "" if value is None else str(value)
    if any(char in text for char in (delimiter, quote, "\r", "\n")):
        return quote + text.replace(quote, quote * 2) + quote
    return text


def write_rows(rows, delimiter=","):
    lines = [delimiter.join(write_field(value, delimiter) for value in row) for row in rows]
    return "".join(line + "\n" for line in lines)


def write_table(table, delimiter=","):
    return write_rows([table.header, *table.rows], delimiter)
