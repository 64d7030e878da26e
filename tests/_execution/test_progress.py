"""Progress in steps and in stages."""

from calibrant._execution import Parallel, Stages, Ticker, run


def test_stages_follow_each_other_and_never_go_back():
    told = []
    stages = Stages(lambda *step: told.append(step), (1, 1))
    first = stages.next()
    first(1, 4)
    first(3, 4)
    first(2, 4)  # of a slower thread
    second = stages.next()
    second(1, 2)
    stages.end()
    assert told == [(0, 200), (25, 200), (75, 200), (100, 200), (150, 200), (200, 200)]


def test_stages_take_their_share_of_the_whole():
    told = []
    stages = Stages(lambda done, _: told.append(done), (1.0, 3.0))
    for _ in range(2):
        stages.next()(1, 2)
    stages.end()
    assert told == [0, 25, 50, 125, 200]


def test_nobody_need_listen():
    stages = Stages(None, (1, 1))
    assert stages.next() is None
    stages.end()


def test_steps_inside_tasks_are_counted_from_all_threads():
    calls = []
    ticker = Ticker(lambda *call: calls.append(call), 40)

    def steps(_):
        for _ in range(10):
            ticker.tick()

    list(run(steps, range(4), Parallel(3)))
    assert calls == [(k, 40) for k in range(1, 41)]
    Ticker(None, 3).tick()  # nobody listens


def test_a_step_may_count_for_several():
    calls = []
    ticker = Ticker(lambda *call: calls.append(call), 10)
    ticker.tick(3)
    ticker.tick(7)
    assert calls == [(3, 10), (10, 10)]


def test_a_stage_that_took_less_than_was_thought_leaves_more_to_the_others():
    told = []
    stages = Stages(lambda done, _: told.append(done), (3.0, 1.0))
    first = stages.next()
    first(1, 10)  # of what would be 3/4
    first(10, 10)  # it stops early: that was all
    stages.correct(0.5)
    second = stages.next()
    second(1, 2)
    stages.end()
    assert told == [0, 15, 67, 133, 200]
