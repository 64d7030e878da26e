"""Realistic files, each with its right answer; most must be read without options.

One module per origin. `python -m tests.io.natural FOLDER` writes them all.
"""

from tests.io.natural import (
    answers,
    binary_names,
    boosting,
    clouds,
    columns_beside,
    further_writing,
    headers,
    hugging_face,
    json_lines,
    kaggle,
    language_models,
    logits,
    mlflow,
    networks,
    other_programs,
    other_writing,
    pandas_files,
    r_files,
    r_models,
    separators,
    spreadsheets,
    top_label,
    workbenches,
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
    clouds,
    workbenches,
    r_models,
    networks,
    binary_names,
    spreadsheets,
    answers,
    columns_beside,
    further_writing,
)
#: all files by a short title
NATURAL = {title: file for module in MODULES for title, file in module.FILES.items()}
