"""Files as people have them, each with its right answer; most must be read without options.

One module per origin. `python -m tests.io.natural FOLDER` writes them all.
"""

from tests.io.natural import (
    boosting,
    headers,
    hugging_face,
    json_lines,
    kaggle,
    language_models,
    logits,
    mlflow,
    other_programs,
    other_writing,
    pandas_files,
    r_files,
    separators,
    top_label,
)

MODULES = (
    pandas_files,
    r_files,
    kaggle,
    mlflow,
    hugging_face,
    headers,
    boosting,
    json_lines,
    separators,
    top_label,
    logits,
    language_models,
    other_programs,
    other_writing,
)
#: all files by a short title
NATURAL = {title: file for module in MODULES for title, file in module.FILES.items()}
