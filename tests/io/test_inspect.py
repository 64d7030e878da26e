"""Logs of Inspect: the archive says the same as the JSON log, whatever failed or was shuffled."""

import json
import tracemalloc
import zipfile
import zlib

import numpy as np
import pyarrow as pa
import pytest
from tests.io.natural import NATURAL

from calibrant.io import InputError, read_predictions

KINDS = ["letters", "one token", "stated confidence"]


def samples_of(kind):
    return json.loads(NATURAL[f"Inspect, {kind}"].data)["samples"]


def archive(path, samples, method="deflated", flipped=0):
    """Write a log as Inspect does: older versions deflate, later ones use Zstandard (93)."""
    packed = zipfile.ZIP_STORED if method == "zstandard" else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(path, "w", packed) as out:
        start = json.dumps({"version": 2, "eval": {"task": "quiz"}})
        out.writestr("_journal/start.json", start)
        for sample in samples:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            content = json.dumps(sample).encode()
            if method == "deflated":
                out.writestr(name, content)
                continue
            info = zipfile.ZipInfo(name)
            out.writestr(info, pa.Codec("zstd").compress(content, asbytes=True))
            # the central directory is written at the end, from these
            info.compress_type, info.file_size = 93, len(content)
            info.CRC = zlib.crc32(content) ^ flipped
        out.writestr("header.json", start)
    return str(path)


@pytest.mark.parametrize("method", ["deflated", "zstandard"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_says_what_the_json_log_says(tmp_path, kind, method):
    file = NATURAL[f"Inspect, {kind}"]
    expected = read_predictions(file.write(tmp_path)).predictions
    found = read_predictions(archive(tmp_path / "a.eval", samples_of(kind), method))
    assert found.understood.format == "eval"
    assert found.understood.shared_column == "question_id"
    np.testing.assert_array_equal(found.predictions.y_prob, expected.y_prob)
    np.testing.assert_array_equal(found.predictions.y_true, expected.y_true)
    assert found.predictions.classes == expected.classes


def test_question_ids_are_clusters(tmp_path):
    path = archive(tmp_path / "a.eval", samples_of("letters"))
    clusters = read_predictions(path, cluster="question_id").predictions.clusters
    assert clusters[0] == clusters[1] != clusters[2] == clusters[3]


def test_samples_without_a_score_are_left_out_and_counted(tmp_path):
    samples = samples_of("letters")
    whole = read_predictions(archive(tmp_path / "a.eval", samples)).predictions
    samples[3]["scores"], samples[5]["scores"] = None, {}
    file = read_predictions(archive(tmp_path / "b.eval", samples))
    kept = np.delete(np.arange(len(samples)), [3, 5])
    np.testing.assert_array_equal(file.predictions.y_prob, whole.y_prob[kept])
    assert "without 2 samples that have no score" in file.understood.writing
    for sample in samples:
        sample["scores"] = None
    with pytest.raises(InputError, match="none of the 60 samples has a score"):
        read_predictions(archive(tmp_path / "c.eval", samples))


def test_confidence_and_correctness_in_the_value_of_a_score(tmp_path):
    samples = samples_of("stated confidence")
    for sample in samples:
        score = sample["scores"]["choice"]
        confidence = score.pop("metadata")["confidence"]
        score["value"] = {"correct": int(score["value"] == "C"), "confidence": confidence}
    found = read_predictions(archive(tmp_path / "a.eval", samples)).predictions
    probabilities, labels = NATURAL["Inspect, stated confidence"].answer
    np.testing.assert_array_equal(found.y_prob, probabilities)
    np.testing.assert_array_equal(found.y_true, labels)


def test_letters_are_those_of_the_answer_and_not_of_an_earlier_token(tmp_path):
    samples = samples_of("letters")
    expected = read_predictions(archive(tmp_path / "a.eval", samples)).predictions
    for sample in samples:
        content = sample["output"]["choices"][0]["logprobs"]["content"]
        wrong = [{"token": letter, "logprob": -1.0} for letter in "ABC"]
        content.insert(0, {"token": "A", "logprob": -1.0, "top_logprobs": wrong})
    found = read_predictions(archive(tmp_path / "b.eval", samples)).predictions
    np.testing.assert_array_equal(found.y_prob, expected.y_prob)


def test_letters_that_were_shuffled_are_never_taken_for_the_classes(tmp_path):
    samples = samples_of("letters")
    turned = {"A": "B", "B": "C", "C": "A"}
    for sample in samples:  # the answer is given in the order before, the tokens in that after
        sample["scores"]["choice"]["answer"] = turned[sample["scores"]["choice"]["answer"]]
        sample["target"] = turned[sample["target"]]
    with pytest.raises(InputError, match="no sample has a confidence"):
        read_predictions(archive(tmp_path / "a.eval", samples))


def test_a_score_that_contradicts_the_target_is_believed(tmp_path):
    samples = samples_of("letters")
    score = samples[0]["scores"]["choice"]
    score["value"] = "I" if score["value"] == "C" else "C"
    found = read_predictions(archive(tmp_path / "a.eval", samples))
    assert found.understood.label_columns == ("correct",)
    assert found.predictions.y_true[0] == (score["value"] == "C")


def test_damaged_archives_are_refused(tmp_path):
    archive(tmp_path / "a.eval", samples_of("letters"), "zstandard")
    data = bytearray((tmp_path / "a.eval").read_bytes())
    (tmp_path / "c.eval").write_bytes(data[:-30])
    at = data.index(b"samples/") + 60
    data[at : at + 40] = bytes(40)
    (tmp_path / "b.eval").write_bytes(data)
    with pytest.raises(InputError, match="this Inspect log file is broken"):
        read_predictions(str(tmp_path / "b.eval"))
    with pytest.raises(InputError, match="broken or cut off"):
        read_predictions(str(tmp_path / "c.eval"))
    other = archive(tmp_path / "d.eval", samples_of("letters"), "zstandard", flipped=1)
    with pytest.raises(InputError, match=r"samples/0_epoch_1\.json is damaged"):
        read_predictions(other)


def test_an_archive_that_grows_out_of_all_proportion_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.eval", "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("_journal/start.json", "{}")
        for i in range(3):
            with out.open(f"samples/{i}_epoch_1.json", "w") as member:
                for _ in range(100):
                    member.write(bytes(1 << 20))
    tracemalloc.start()
    with pytest.raises(InputError, match="must not grow more than 100-fold"):
        read_predictions(str(tmp_path / "a.eval"))
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()
