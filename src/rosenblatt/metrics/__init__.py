"""How a step moves each column: `w ← w + a·Σx`, Σ diagonal. One file each; a new file here is a new metric everywhere.

A metric is a NamedTuple of its parameters, numbers > 0. It is made of scalar functions of a column's state c, a pair of
numbers, so that the compiled loop and a store of single columns call the same ones:
    name              as on the command line; of one's own, one that is not taken, or the class's name without it
    starts            c of a column that was never seen; one number only where c[1] is not used, which is not kept then
    eta0              the learning rate of "auto"; None, or without it: the rule's. One that brings its step takes none
    tol               of one that brings its step: that of "auto", by the hinge loss
    only              optional: parameter → the only values that it may have
    compared          optional, True: among the learners that `compare` tries unless others are asked for
    rules             optional: names of the rules that it goes with, where these are not all that descend a gradient
    news(c, x)        whether `see` would change anything, which it is called for then; of a metric that has it, only
    see(c, x)         optional, before the score: (c, factor of w_j and of what the averages keep of it)
    measure(c, x)     optional: the column's part of v
    shrink(c)         optional: how strongly L1 pulls on the column, as a factor: as long as its steps are
    rate(v, past)     optional: factor of the learning rate; past: (2,) float64 of its own, kept over the rows
    stride(u, y, v)   of a metric that brings its step: the three numbers that `move` gets; the first is 0 for no step
    move(c, w, x, a)  (change of w_j, c), for a value x of the row or, of a block, x ≠ 0 of its gradient and a[0] = 1;
                      a: those of `stride`, else (unit step, rate, t), with t the rows that were learned before
    begin(w, eta)     optional, of one whose weights follow from c: that of a weight to start with
Numbers without a point where a value must stay in the rows' dtype: 0 and not 0.0.
"""
