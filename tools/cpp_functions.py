"""Finds the functions of a C++ file by matching braces; enough of the grammar to measure them, no more.

Comments, strings, raw strings and preprocessor lines are blanked first; of an #if only the first branch is
read. Every `{` is then one of: a scope to look into (namespace, class, extern "C"), a function body, or
something to jump over (initialiser, enum, requires-expression). Lambdas and local classes inside a function
count as part of it; lambdas inside an initialiser count as functions of their own.
"""
import re
from dataclasses import dataclass

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.']*|::|->|&&|==|!=|<=|>=|[^\s]")
CLASS_WORDS = {"class", "struct", "union"}
AFTER_PARAMETERS = {"const", "noexcept", "override", "final", "try", "mutable", "volatile", "&", "&&"}


@dataclass
class Function:
    name: str
    begin: int  # line of the first word of its declaration
    end: int  # line of its closing brace

    @property
    def length(self):
        return self.end - self.begin + 1


def blank(text: str):
    """The same text with comments, literals and preprocessor lines replaced by spaces; lines stay lines."""
    pieces = re.compile(
        r'//(?:\\\n|[^\n])*|/\*.*?\*/'
        r'|(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
        r'|"(?:\\.|[^"\\\n])*"'
        r"|(?<![0-9a-fA-F_'])(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'",
        re.S,
    )

    def spaces(match):
        piece = match[0]
        filler = '""' if piece[0] != "/" and len(piece) >= 2 else ""
        return filler + re.sub(r"[^\n]", " ", piece[len(filler):])

    return drop_preprocessor(pieces.sub(spaces, text))


def drop_preprocessor(text: str):
    """Blanks directives with their continuation lines, and all but the first branch of each #if."""
    result, skipping, continued = [], [], False
    for line in text.split("\n"):
        directive = re.match(r"\s*#\s*(\w+)?", line)
        if continued or directive:
            word = directive[1] if directive and not continued else None
            continued = line.rstrip().endswith("\\")
            if word in ("if", "ifdef", "ifndef"):
                skipping.append(False)
            elif word in ("else", "elif") and skipping:
                skipping[-1] = True
            elif word == "endif" and skipping:
                skipping.pop()
            result.append("")
        else:
            result.append("" if any(skipping) else line)
    return "\n".join(result)


def tokenize(text: str):
    """(token, line) pairs."""
    result = []
    for number, line in enumerate(blank(text).split("\n"), 1):
        result += [(match[0], number) for match in TOKEN.finditer(line)]
    return result


def find_close(tokens, begin: int):
    """Index of the brace that closes the one at begin; the end of the file when there is none."""
    depth = 0
    for index in range(begin, len(tokens)):
        if tokens[index][0] == "{":
            depth += 1
        elif tokens[index][0] == "}":
            depth -= 1
            if depth == 0:
                return index
    return len(tokens) - 1


def drop_template(words):
    """The declaration without leading template<...>, attributes and access labels."""
    while words:
        if words[0] == "template" and words[1:2] == ["<"]:
            depth, index = 0, 1
            while index < len(words):
                depth += {"<": 1, ">": -1, "(": 100, ")": -100}.get(words[index], 0)
                if depth == 0:
                    break
                index += 1
            words = words[index + 1:]
        elif words[0] == "[" and words[1:2] == ["["]:
            words = words[words.index("]") + 2:] if "]" in words else []
        elif words[0] == "requires" and "}" in words:
            words = words[words.index("}") + 1:]
        elif words[0] in ("public", "private", "protected") and words[1:2] == [":"]:
            words = words[2:]
        elif words[0] in ("inline", "static", "constexpr", "export", "friend", "typedef"):
            words = words[1:]
        else:
            break
    return words


def find_at_top(words, wanted):
    """Index of the first wanted word outside parentheses and brackets, or -1."""
    depth = 0
    for index, word in enumerate(words):
        if word in "([":
            depth += 1
        elif word in ")]":
            depth -= 1
        elif depth == 0 and word in wanted:
            return index
    return -1


def skip_back(words, index: int, close: str, opening: str):
    """Index before the bracket that opens the one closing at index."""
    depth = 0
    while index >= 0:
        depth += {close: 1, opening: -1}.get(words[index], 0)
        index -= 1
        if depth == 0:
            break
    return index


def ends_like_lambda(words):
    """True for `... [captures] (parameters) mutable -> T`, the words before a lambda's body."""
    ends = [len(words)]
    if "->" in words:
        ends.append(len(words) - 1 - words[::-1].index("->"))
    for end in ends:
        index = end - 1
        while index >= 0 and words[index] in AFTER_PARAMETERS:
            index -= 1
        if index >= 0 and words[index] == ")":
            index = skip_back(words, index, ")", "(")
        if index >= 0 and words[index] == "]":
            index = skip_back(words, index, "]", "[")
            # a[i] is a subscript, not a capture list
            if index < 0 or words[index] == "return" or not re.fullmatch(r"\w+|\)|\]", words[index]):
                return True
    return False


def name_function(words):
    """The word before the parameter list; TEST(suite, name) keeps its arguments."""
    if find_at_top(words, {"="}) > 0 and "operator" not in words:
        name = words[find_at_top(words, {"="}) - 1]
        return name if name.isidentifier() else "(lambda)"
    opening = words.index("(") if "(" in words else len(words)
    if "operator" in words[:opening]:
        call = "()" if words[opening:opening + 2] == ["(", ")"] else ""
        return "".join(words[words.index("operator"):opening]) + call
    begin = opening - 1
    while begin >= 1 and words[begin - 1] in ("::", "~"):
        begin -= 1 if words[begin - 1] == "~" else 2
    name = "".join(words[max(begin, 0):opening]).removeprefix(">::")
    if re.fullmatch(r"[A-Z][A-Z_]{2,}", name):
        name += "".join(words[opening:words.index(")") + 1]).replace(",", ", ")
    return name or "(lambda)"


def classify(words):
    """What a `{` after these words opens: scope, function, skip (jump over) or part (of the declaration)."""
    if words.count("(") > words.count(")"):
        return "part"
    words = drop_template(words)
    if not words:
        return "skip"
    if words[-1] == "requires" or (words[-1] == ")" and ends_with_requires(words)):
        return "part"
    if "namespace" in words or words[:1] == ["extern"] and words[1:] == ['"', '"']:
        return "scope"
    if words[0] in ("enum", "catch") or "concept" in words:
        return "skip"
    if words[0] in CLASS_WORDS and not is_function_head(words):
        return "scope"
    equals = -1 if "operator" in words else find_at_top(words, {"="})
    if equals >= 0 or "(" not in words:
        return "function" if ends_like_lambda(words) else "skip"
    colon = find_at_top(words, {":"})
    if colon > 0 and ")" in words[:colon] and words[-1] not in (")", "}", "try"):
        return "part"
    return "function"


def is_function_head(words):
    """`struct Foo make(int a)`: a class word that is only part of a return type."""
    ends = words[-1] == ")" or words[-1] in AFTER_PARAMETERS - {"final"}
    return ends and find_at_top(words, {":"}) < 0 and len(words) > 4 and words[1] != "alignas"


def ends_with_requires(words):
    depth = 0
    for index in range(len(words) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(words[index], 0)
        if depth == 0:
            return index > 0 and words[index - 1] == "requires"
    return False


def find_lambdas(tokens):
    """Lambdas in the middle of an initialiser."""
    functions, begin, index = [], 0, 0
    while index < len(tokens):
        word = tokens[index][0]
        if word == "{" and ends_like_lambda([token for token, _ in tokens[begin:index]]):
            close = find_close(tokens, index)
            functions.append(Function("(lambda)", tokens[index][1], tokens[close][1]))
            begin, index = close + 1, close
        elif word in "{};":
            begin = index + 1
        index += 1
    return functions


def find_functions(text: str):
    tokens, functions, head, index = tokenize(text), [], [], 0
    while index < len(tokens):
        word, line = tokens[index]
        if word == "{":
            kind = classify([token for token, _ in head])
            if kind == "scope":
                head = []
            else:
                close = find_close(tokens, index)
                if kind == "function":
                    words = drop_template([token for token, _ in head])
                    functions.append(Function(name_function(words), head[0][1], tokens[close][1]))
                elif ends_like_lambda([token for token, _ in head]):
                    functions.append(Function("(lambda)", line, tokens[close][1]))
                else:
                    functions += find_lambdas(tokens[index + 1:close])
                head = [] if kind == "function" or head and head[0][0] == "catch" else head + [("}", line)]
                index = close
        elif word in (";", "}"):
            head = []
        else:
            head.append((word, line))
        index += 1
    return functions
