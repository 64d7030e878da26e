"""What the first attack could not break, and the tests that keep it so.

Each item is a word of the attack's report; each test is a file and a function, or the title of a
fault or of a malformed file. `test_held_list.py` checks that all of them exist.
"""

HERE, FAULT = "adversary", "fault"
PREDICTIONS = "_predictions"

HELD = {
    # data
    "missing values of every kind": [
        (HERE, "test_missing_values_are_refused_wherever_they_are"),
    ],
    "Enum, Categorical and dictionary order": [
        (HERE, "test_categories_never_reorder_classes"),
        (HERE, "test_dictionaries_of_files_never_reorder_classes"),
    ],
    "endianness": [(HERE, "test_every_kind_of_table_has_the_same_error")],
    "strides": [
        (HERE, "test_every_kind_of_table_has_the_same_error"),
        (HERE, "test_labels_with_strides_are_taken"),
    ],
    "memory maps": [(HERE, "test_every_kind_of_table_has_the_same_error")],
    "Dask arrays": [(HERE, "test_every_kind_of_table_has_the_same_error")],
    "float16": [
        (PREDICTIONS, "test_rounded_tensors_keep_the_exact_value_of_every_entry"),
        (PREDICTIONS, "test_half_floats_of_arrow_are_read_exactly"),
    ],
    "bfloat16": [
        (PREDICTIONS, "test_bfloat16_arrays_of_ml_dtypes_are_read_exactly"),
        (PREDICTIONS, "test_the_row_sum_tolerance_of_bfloat16_is_its_own"),
    ],
    "sparse": [
        (PREDICTIONS, "test_a_sparse_matrix_is_refused_with_the_remedy"),
        (PREDICTIONS, "test_tensors_give_the_same_bits_as_arrays"),
    ],
    "DLPack": [(PREDICTIONS, "test_tensors_that_speak_dlpack_are_not_copied")],
    "swapped arguments": [(PREDICTIONS, "test_swapped_arguments_are_refused")],
    "transposed": [
        (PREDICTIONS, "test_a_transposed_matrix_is_refused"),
        (PREDICTIONS, "test_a_transposed_square_matrix_is_refused"),
    ],
    "logarithms, percentages and logits": [
        (HERE, "test_scales_of_other_kinds_are_refused_by_name"),
        ("io", "test_percent_signs_and_the_flag_say_the_same"),
        ("io", "test_one_log_probability_is_not_taken_for_a_logit"),
    ],
    # arguments
    "over_labels bounds": [(HERE, "test_label_sets_out_of_bounds_are_refused")],
    "weights": [(PREDICTIONS, "test_bad_weights_are_refused")],
    "rng, n_jobs, bandwidths, bins": [(HERE, "test_arguments_out_of_range_are_refused")],
    # files
    "symbolic links and odd names": [(HERE, "test_files_of_any_name_are_read")],
    "named pipes": [(HERE, "test_a_named_pipe_is_a_file")],
    "/dev/stdin": [(HERE, "test_a_pipe_is_a_file")],
    "folders": [
        (HERE, "test_folders_are_refused_or_read"),
        ("cli", "test_a_folder_is_tested_streamed_or_not"),
    ],
    # outputs
    "/dev/full": [(FAULT, "E1"), (FAULT, "E2")],
    "a full disk": [
        (HERE, "test_a_full_disk_is_told_and_what_was_there_stays"),
        (HERE, "test_a_checkpoint_on_a_full_disk_can_be_resumed"),
    ],
    "kill -9": [
        (HERE, "test_a_killed_writer_leaves_the_old_file_or_the_new_one"),
        (HERE, "test_a_killed_run_resumes_to_the_same_bytes"),
    ],
    "twelve writers of one file": [
        (HERE, "test_twelve_writers_of_one_file_leave_it_whole"),
        (FAULT, "E4"),
    ],
    "broken pipes": [(FAULT, "A16"), (FAULT, "E1")],
    # surroundings
    "LANG=C, ASCII streams, no home, -O, -OO, -W error, -X dev": [
        (HERE, "test_surroundings_do_not_change_a_byte"),
    ],
    "a read-only working folder": [(HERE, "test_the_working_folder_may_be_read_only")],
    "ulimit -v": [(FAULT, "A21")],
    "ulimit -f": [(FAULT, "A6")],
}
