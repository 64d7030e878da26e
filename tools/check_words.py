"""Find wordings that an editor would change; CI runs it after codespell.

``python tools/check_words.py`` lists all places and fails if there is any.
"""

from __future__ import annotations

import re
import subprocess
import sys
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]

#: a wording, and what to write instead
WORDINGS = {
    r"(?<![Tt]here )\bis no (?!longer\b|more\b|less\b|larger\b|smaller\b|better\b|worse\b)\w+": (
        "is not a …"
    ),
    r"\bof (?:your|one's) own\b": "your own …, custom …",
    r"\bwhat spoke\b": "driven by",
    r"\bstands? beside\b": "is reported with, is next to",
    r"\bspeaks? (?:for|against|of)\b": "is evidence for, names",
    r"\bbeside\b": "with, next to, compared with",
    r"\bby itself\b": "on its own, separately, alone",
    r"\bof (?:its|their) own\b": "its own …, separate",
    r"\b(?:told|tells? (?:\w+ ){1,4})apart\b": "distinguish, no difference is shown",
    r"\b[Nn]obody\b|\b[Ee]verybody\b": "no …, any …",
    r"(?<!not )\bso many\b": "that many",
    r"\bas (?:\w+ ){1,6}as may be\b": "as … as possible",
    r"\bholds? the truth\b": "contains the truth, covers",
    r"\bat hand\b": "available",
    r"\bdraws? (?:\w+ ){0,3}to itself\b": "attracts, dominates",
    r"\bdata-?sets? of before\b|\bthose of before\b": "earlier ones",
    r"(?i)\bnot even worth to\b": "not worth …ing",
    r"\banew\b": "again",
    r"\bshall\b": "should, will",
    r"\bgoes on where it was\b": "resumes",
    r"(?i)\bwhoever\b": "if you …, anyone who",
    r"\bthe method was given\b": "",
    r"\blabelings?\b|\blabellings?\b": "label sets",
    r"\b(?:[Mm]ust|line|file|[Ii]nterval|[Bb]rackets) holds?\b": "contains, has",
    r"\b(?:is|are) there (?:again|more than once)\b": "occurs again, more than once",
    r"\b(?:held|hold|computed|drawn|made|read|converted|looked at) at once\b": "at a time",
    r"\b(?:where|Where) there (?:is|are)\b": "if there is",
    r"\b[Tt]owards\b": "toward",
    r"\binside of\b": "inside",
    r"\b(?:[Hh]and|[Hh]ands|[Hh]anded) over\b": "pass, share",
    r"\b(?:looks?|cut) (?:along an order|at another mark)\b": "uses the order, split at",
    r"\bas a rule\b": "usually",
    r"\bthe truth of an? \w+ is ambiguous\b": "the truth value of …",
    r"\bMonte-Carlo\b": "Monte Carlo",
    r"\bper cent\b": "percent",
    r"\bof a BLAS\b": "BLAS sums, BLAS threads",
    r"\b(?:has|have|had) no say\b|\bno say in\b": "does not depend on",
    r"\bfor each further\b": "for each additional",
    r"\b[Ff]ront door\b": "name what it is",
    r"\b(?:Tell|Say) whether (?:a|an|the|two|all|every)\b": "Return whether",
    r"(?<!round )\btrip through JSON\b": "round trip through JSON",
    r"\b(?:twice|three times) too (?:large|small)\b": "twice as large as it should be",
    r"\bhalf (?:as often )?again\b": "1.5 times",
    r"\bis as good as (?:absent|infinite|none)\b": "counts as",
    r"\bmix(?:es|ed)? up\b": "confuse",
    r"\bof one size\b": "of equal size",
    r"\blooked at together\b": "processed together",
    r"\bout of all proportion\b": "out of proportion",
    r"\bcompletely or not at all\b": "atomically",
    r"\bto a reader without statistics\b": "for readers without statistics",
    r"\bafresh\b": "again",
    r"\bon the whole\b": "overall",
    r"\btaken for it\b": "raised to it, replaced by it",
    # inside names, where codespell does not look
    r"(?i)\w*(?:(?:neighb|col|fav|behavi)our|label{2}ing|[a-z]isation)\w*": ("American spelling"),
    r"\b(?:Notes|Returns|Parameters|Examples|References) -{3,}": "a heading above its dashes",
}
#: the prefix of a line before its words
_MARGIN = re.compile(r"[ \t]*(?:#:? |[bfr]*[\"'](?=\w))?")
#: a line break within a paragraph
_BROKEN = re.compile(r"(?<=[^\n])\n(?=[^\n-])")
SUFFIXES = {".py", ".rst", ".md", ".html"}


def texts() -> list[Path]:
    """Return the files that users and developers read."""
    listed = subprocess.run(
        ["git", "ls-files", "README.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "src"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [REPOSITORY / line for line in listed.stdout.splitlines()]
    return [path for path in paths if path.suffix in SUFFIXES and path.exists()]


def find(text: str) -> list[tuple[int, str, str]]:
    """Return line, wording and advice for every place in a text; wordings may span lines."""
    lines = [_MARGIN.sub("", line, count=1) for line in text.split("\n")]
    ends = list(accumulate(len(line) + 1 for line in lines))
    joined = _BROKEN.sub(" ", "\n".join(lines))
    places = [
        (bisect_right(ends, match.start()) + 1, match.group(), advice)
        for pattern, advice in WORDINGS.items()
        for match in re.finditer(pattern, joined)
    ]
    return sorted(places)


def main() -> int:
    """Print all places; return 1 if there is any."""
    places = [(path, *place) for path in texts() for place in find(path.read_text("utf-8"))]
    for path, line, words, advice in places:
        print(f"{path.relative_to(REPOSITORY)}:{line}: {words!r}: write {advice}")
    return 1 if places else 0


if __name__ == "__main__":
    sys.exit(main())
