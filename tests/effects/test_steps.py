"""Quasi-Newton steps with an approximate curvature matrix."""

import numpy as np

from calibrant.effects._steps import Steps


def quadratic(d=6, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(d, 2 * d))
    return a @ a.T, rng.normal(size=d)


def test_the_first_step_is_that_of_newton():
    hessian, gradient = quadratic()
    np.testing.assert_allclose(hessian @ Steps(hessian).step(gradient), gradient, rtol=1e-9)


def test_of_a_singular_matrix_the_shortest_step_is_taken():
    step = Steps(np.diag([2.0, 0.0])).step(np.array([4.0, 0.0]))
    np.testing.assert_allclose(step, [2.0, 0.0], atol=1e-12)


def test_a_learned_step_is_taken_again_where_the_gradient_falls_the_same():
    # the secant equation: what fell by y over s leads to s, whatever the matrix was
    hessian, _ = quadratic()
    steps, s = Steps(np.eye(6)), np.arange(1.0, 7.0)
    steps.learn(s, hessian @ s)
    np.testing.assert_allclose(steps.step(hessian @ s), s, rtol=1e-10)


def test_a_rise_of_the_gradient_is_forgotten():
    _, gradient = quadratic()
    steps = Steps(np.eye(6))
    steps.learn(gradient, -gradient)
    np.testing.assert_array_equal(steps.step(gradient), gradient)


def test_a_wrong_matrix_reaches_the_maximum_of_a_quadratic_all_the_same():
    hessian, gradient = quadratic()
    x, steps = np.zeros(6), Steps(np.diag(np.diag(hessian)))
    for _ in range(40):
        here = gradient - hessian @ x
        change = steps.step(here)
        # the best share of the step, which a quadratic tells
        change *= (here @ change) / (change @ hessian @ change)
        steps.learn(change, hessian @ change)
        x = x + change
    np.testing.assert_allclose(x, np.linalg.solve(hessian, gradient), rtol=1e-9)
