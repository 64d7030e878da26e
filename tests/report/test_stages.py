"""One progress of several stages."""

from calibrant.report._stages import Stages


def test_stages_follow_each_other_and_never_go_back():
    told = []
    stages = Stages(lambda *step: told.append(step), 2)
    first = stages.next()
    first(1, 4)
    first(3, 4)
    first(2, 4)  # of a slower thread
    second = stages.next()
    second(1, 2)
    stages.end()
    assert told == [(0, 200), (25, 200), (75, 200), (100, 200), (150, 200), (200, 200)]


def test_nobody_need_listen():
    stages = Stages(None, 2)
    assert stages.next() is None
    stages.end()
