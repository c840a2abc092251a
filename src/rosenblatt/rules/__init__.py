"""Learning rules: (score u, label y, ‖x̄‖²) → unit step. One file each; a new file here is a new rule everywhere.

A rule is a NamedTuple of its parameters, numbers > 0, with
    name            as on the command line
    eta0            the default learning rate η
    tol             None: finished at an epoch without an update; a number: when the loss falls by less than this
    reach           optional: eta0 "auto" is kept below reach/max(weight·‖x̄‖²), for rules that large values would upset
    exact           optional, True: the step reaches its goal exactly, so that steps of rounding only are no steps
    mends           optional, True: the step is as long as the row needs, no gradient's, so that no metric shapes it
    step(u, y, q)   the coefficient a of `w ← w + η·a·x, b ← b + η·a`, for y ∈ {−1, +1} and q = ‖x̄‖²
    loss(u, y)      optional: what the step descends; reported and compared with tol (else the share of mistakes)
"""
