/** Suspicion of lines, and the source around them. */
export const SUSPICION: string = String.raw`def suspicion(failing, passing):
    lines = {}
    for check in failing:
        for line in check.lines:
            lines[line] = lines.get(line, 0) + 1
    runs = {}
    for check in passing:
        for line in check.lines:
            runs[line] = runs.get(line, 0) + 1
    score = {}
    for line, hits in lines.items():
        if not is_test(os.path.relpath(line[0], ROOT)):
            score[line] = hits / (len(failing) * (hits + runs.get(line, 0))) ** 0.5
    marked = set()
    for check in failing:
        trace = getattr(check.error, "__traceback__", None)
        while trace:
            marked.add((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
            trace = trace.tb_next
    return {line: value * 1.5 if line in marked else value for line, value in score.items()}


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def last_line(node):
    return max(getattr(n, "end_lineno", None) or getattr(n, "lineno", 0) for n in ast.walk(node))


def spots(score, words):
    """Stretches of source with the suspicion of each line, the most suspicious first."""
    found, texts = [], {}
    for path in sorted({path for path, _ in score}):
        with open(path, encoding="utf-8", errors="replace") as file:
            texts[path] = [""] + file.read().split("\n")
    mentions = {}
    for (path, line), value in score.items():
        for word in re.findall(r"[A-Za-z_]\w*", texts[path][line]):
            mentions[word] = max(value, mentions.get(word, 0))
    for path in sorted(texts):
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        if "\r" in text:
            continue
        lines = text.split("\n")
        hits = {line: value for (at, line), value in score.items() if at == path}
        for node, name in walk(ast.parse(text), ""):
            if not isinstance(node, FUNCTIONS):
                if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                    # What a module or class sets up is run by all or none: it is judged by who mentions it.
                    targets = getattr(node, "targets", None) or [node.target]
                    named = [getattr(n, "id", "") for target in targets for n in ast.walk(target)]
                    value = 0.8 * max([mentions.get(n, 0) for n in named] + [0])
                    places = range(node.lineno, last_line(node) + 1)
                    found.append(spot(path, name, lines, node.lineno, last_line(node), dict.fromkeys(places, value), [], []))
                continue
            own = {line: value for line, value in hits.items() if node.lineno <= line <= last_line(node)}
            inner = [n for n in ast.walk(node) if isinstance(n, FUNCTIONS) and n is not node]
            own = {l: v for l, v in own.items() if not any(n.lineno < l <= last_line(n) for n in inner)}
            if not own:
                continue
            weight = 1.3 if node.name in words or (node.name == "__init__" and name in words) else 1
            own = {line: value * weight for line, value in own.items()}
            whole = dict(own)
            for part in ast.walk(node):
                if not isinstance(part, ast.stmt) or part is node or part.lineno not in own:
                    continue
                end = part.body[0].lineno - 1 if getattr(part, "body", None) else last_line(part)
                for line in range(part.lineno, end + 1):
                    whole[line] = max(whole.get(line, 0), own[part.lineno])
            for line in range(node.lineno, node.body[0].lineno):
                whole[line] = 0.5 * max(own.values())
            parameters = [a.arg for a in node.args.args + node.args.kwonlyargs]
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            names = sorted(names | set(parameters))
            qualified = (name + "." if name else "") + node.name
            if sum(len(line) for line in lines[node.lineno - 1:last_line(node)]) < 3500:
                found.append(spot(path, qualified, lines, node.lineno, last_line(node), whole, parameters, names))
            else:
                for part in node.body:
                    found.append(spot(path, qualified, lines, part.lineno, last_line(part), whole, [], names))
    found = [s for s in found if max(s["score"]) > 0]
    found.sort(key=lambda s: (-max(s["score"]), s["path"], s["from"]))
    kept, letters = [], 0
    for s in found:
        size = len(compact(s)) + 1
        if letters + size <= LETTERS:
            letters += size
            kept.append(s)
    return kept


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def walk(node, name):
    for part in getattr(node, "body", []) + getattr(node, "orelse", []):
        yield part, name
        if isinstance(part, ast.ClassDef):
            yield from walk(part, part.name)
        elif isinstance(part, (ast.If, ast.Try, ast.With)) or isinstance(part, FUNCTIONS):
            yield from ((p, n) for p, n in walk(part, name) if isinstance(p, FUNCTIONS))


def spot(path, name, lines, start, end, score, parameters, names):
    text = lines[start - 1:end]
    values = [round(100 * score.get(line, 0)) for line in range(start, end + 1)]
    return {"path": os.path.relpath(path, ROOT), "name": name, "from": start, "text": text, "score": values,
            "parameters": parameters, "names": names}
`;
