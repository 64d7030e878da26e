"""Labels and names of classes: which column each label means, or that nobody can be certain."""

from typing import NamedTuple


class Situation(NamedTuple):
    """Labels, the names of the columns, and the column of every label; None: refused."""

    labels: list
    names: list[str]
    codes: list[int] | None


SITUATIONS = {
    # the names are the labels
    "names in any order": Situation(["b", "c", "a"], ["c", "b", "a"], [1, 0, 2]),
    "a name that no column has": Situation(["b", "x"], ["c", "b", "a"], None),
    "capitals": Situation(["Yes", "no"], ["no", "yes"], None),
    "words for numbers": Situation(["yes", "no"], ["1", "0"], None),
    # integers are numbers in the names
    "numbers": Situation([0, 1, 2], ["2", "0", "1"], [1, 2, 0]),
    "numbers from 1": Situation([1, 2, 2], ["1", "2", "3"], [0, 1, 1]),
    "numbers from 1, labels from 0": Situation([0, 1, 2], ["1", "2", "3"], None),
    "numbers from 0, labels from 1": Situation([1, 2, 3], ["0", "1", "2"], None),
    "negative numbers": Situation([1, -1, 0], ["-1", "1", "0"], [1, 0, 2]),
    "numbers behind a word": Situation([0, 1, 2], ["class_2", "class_0", "class_1"], [1, 2, 0]),
    "numbers at a word": Situation([0, 1, 2], ["class2", "class0", "class1"], [1, 2, 0]),
    "numbers behind a hyphen": Situation([0, 1, 2], ["c-2", "c-0", "c-1"], [1, 2, 0]),
    "numbers behind capitals": Situation([0, 1, 2], ["Class_2", "class_0", "class_1"], [1, 2, 0]),
    "numbers before a word": Situation([0, 1, 2], ["2 stars", "0 stars", "1 stars"], [1, 2, 0]),
    "numbers with a point": Situation([0, 1, 2], ["2.0", "0.0", "1.0"], [1, 2, 0]),
    "numbers with zeros": Situation([0, 1], ["01", "00"], [1, 0]),
    "grades from 1": Situation([1, 3, 2], ["G3", "G1", "G2"], [1, 0, 2]),
    "grades from 1, labels from 0": Situation([0, 2, 1], ["G1", "G2", "G3"], None),
    "numbers and a word, in place": Situation([0, 2, 1], ["none", "type 1", "type 2"], [0, 2, 1]),
    "numbers and a word, elsewhere": Situation([0, 2, 1], ["type 1", "type 2", "none"], None),
    "one number somewhere": Situation([0, 1, 2], ["cat", "dog", "eel 7"], None),
    "two numbers": Situation([0, 1, 2], ["0-9", "10-19", "20-29"], None),
    "the same number everywhere": Situation([0, 1], ["v2_cat", "v2_dog"], [0, 1]),
    "a number of very many digits": Situation([0, 1], ["a" + "1" * 5000, "b"], None),
    "halves": Situation(["1", "2"], ["1.5", "2.5"], None),
    "numbers twice": Situation([0, 1], ["1", "01"], None),
    # integers and booleans are words for true and false
    "true and false": Situation([1, 0], ["True", "False"], [0, 1]),
    "false and true": Situation([1, 0], ["False", "True"], [1, 0]),
    "yes and no": Situation([1, 0], ["yes", "no"], [0, 1]),
    "is yes and is no": Situation([1, 0], ["is_yes", "is_no"], [0, 1]),
    "y and n": Situation([1, 0], ["Y", "N"], [0, 1]),
    "t and f": Situation([1, 0], ["t", "f"], [0, 1]),
    "m and f": Situation([1, 0], ["m", "f"], [1, 0]),
    "positive and negative": Situation([1, 0], ["positive", "negative"], [0, 1]),
    "neg and pos": Situation([1, 0], ["neg", "pos"], [1, 0]),
    "yes and no, from 1": Situation([1, 2], ["yes", "no"], None),
    "something and its absence": Situation([1, 0], ["spam", "not spam"], None),
    "absence and something": Situation([1, 0], ["no event", "event"], [1, 0]),
    "yes and something": Situation([1, 0], ["yes", "other"], None),
    "yes, no and more": Situation([1, 0, 2], ["yes", "no", "unknown"], None),
    "no, yes and more": Situation([1, 0, 2], ["no", "yes", "unknown"], [1, 0, 2]),
    "a scale": Situation([1, 0, 2], ["negative", "neutral", "positive"], [1, 0, 2]),
    "a scale downwards": Situation([1, 0, 2], ["positive", "neutral", "negative"], None),
    "no among many words": Situation([1, 0, 2], ["edema", "mass", "no finding"], [1, 0, 2]),
    "booleans, true and false": Situation([True, False], ["True", "False"], [0, 1]),
    "booleans, yes and no": Situation([True, False], ["yes", "no"], [0, 1]),
    "booleans, no and yes": Situation([True, False], ["no", "yes"], [1, 0]),
    "booleans, 1 and 0": Situation([True, False], ["1", "0"], [0, 1]),
    "booleans, class 1 and 0": Situation([True, False], ["class_1", "class_0"], [0, 1]),
    "booleans, 1 and 2": Situation([True, True], ["1", "2"], None),
    "booleans, three classes": Situation([True, False], ["a", "b", "c"], None),
    # integers and booleans are positions
    "positions": Situation([2, 0, 1], ["cat", "dog", "eel"], [2, 0, 1]),
    "positions from 1": Situation([3, 1, 2], ["cat", "dog", "eel"], None),
    "booleans as positions": Situation([True, False], ["cat", "dog"], [1, 0]),
}

#: one-hot columns, names of the classes, and the class of every column; None: refused
ONE_HOT = {
    "bare names": (["dog", "cat"], ["cat", "dog"], [1, 0]),
    "other prefixes": (["y_eel", "y_cat", "y_dog"], ["cat", "dog", "eel"], [2, 0, 1]),
    "unknown prefixes": (["is_dog", "is_cat"], ["cat", "dog"], [1, 0]),
    "a word behind": (["dog_seen", "cat_seen"], ["cat", "dog"], [1, 0]),
    "words in both": (["is_dog", "is_cat"], ["class_cat", "class_dog"], [1, 0]),
    "numbers": (["y_2", "y_0", "y_1"], ["0", "1", "2"], [2, 0, 1]),
    "numbers of either form": (["y_2", "y_0", "y_1"], ["c0", "c1", "c2"], [2, 0, 1]),
    "booleans": (["y_False", "y_True"], ["1", "0"], [1, 0]),
    "positions": (["0", "1", "2"], ["cat", "dog", "eel"], [0, 1, 2]),
    "positions against numbers": (["0", "1", "2"], ["cat 3", "dog 7", "eel 9"], None),
    "positions in another order": (["y_2", "y_0", "y_1"], ["cat", "dog", "eel"], None),
    "other names": (["y_cat", "y_hen"], ["cat", "dog"], None),
    "opposite names": (["no_cat", "no_dog"], ["cat", "dog"], None),
    "opposite words behind": (["cat_no", "dog_no"], ["cat", "dog"], None),
    "a rest that is another name": (["is_dog", "is_is_dog"], ["dog", "is_dog"], None),
}
#: labels, the name of the only column, and the class that it is the probability of; None: refused
ONE_COLUMN = [
    ([0, 1], "p", 1),
    ([0, 1], "score", 1),
    ([0, 1], "p_1", 1),
    ([0, 1], "p_0", 0),
    ([1, 1], "p_0", 0),
    ([0, 0], "p_0", 0),
    ([0, 0], "p_1", 1),
    ([0, 1], "1", 1),
    ([0, 1], "0", None),
    ([0, 1], 0, None),
    ([0, 1], "p_2", None),
    ([1, 1], "p_2", None),
    ([1, 2], "p_2", 2),
    ([1, 2], "p_1", 1),
    ([1, 2], "p", None),
    ([-1, 1], "p_1", 1),
    ([0, 1], "p_cat", 1),
    ([0, 1], "p_positive", 1),
    ([0, 1], "p_negative", 0),
    ([0, 1], "p_no", 0),
    ([False, True], "p_True", True),
    ([False, True], "p_False", False),
    ([False, True], "p_0", False),
    (["no", "yes"], "p_yes", "yes"),
    (["no", "yes"], "p_no", "no"),
    (["no", "yes"], "no", "no"),
    (["no", "yes"], "p_Yes", None),
    (["no", "yes"], "p", None),
]
