"""What a postmaster found: mails and their labels, as in nobody's corpus."""

import numpy as np
import pytest

from rosenblatt import Recipe

TEXTS = ["one two", "one three", "one two", "one three"] * 5


@pytest.mark.parametrize("words", [{"min_documents": 1}, {"dictionary": "hashed", "bits": 8}, {"scale": "standard"}])
def test_features_are_learned_from_the_training_rows_alone(words):
    """With rows set aside, dictionary and scaling are those of the other rows by themselves."""
    from rosenblatt.data.folds import set_aside

    texts = [f"{text} own{i} own{i}" for i, text in enumerate(TEXTS)]
    y = np.array(["a", "b"] * 10, object)
    model = Recipe(validation=0.5, **words).fit(texts, y)
    kept, _ = set_aside(y, 0.5, 0)
    alone = Recipe(**words).fit([texts[i] for i in kept], y[kept])
    assert model.width == alone.width
    assert model.features.recipe() == alone.features.recipe()
    for name, values in model.features.tensors().items():
        assert np.array_equal(values, alone.features.tensors()[name])


@pytest.mark.parametrize("scale", ["standard", "unit"])
@pytest.mark.parametrize("degree", [1, 2])
def test_numbers_are_scaled_by_the_training_rows_alone(scale, degree):
    from rosenblatt.data.folds import set_aside

    x, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    words = {"scale": scale, "degree": degree}
    model, (kept, _) = Recipe(validation=0.5, **words).fit(x, y), set_aside(y, 0.5, 0)
    alone = Recipe(**words).fit(x[kept], y[kept])
    for name, values in model.features.tensors().items():
        assert np.array_equal(values, alone.features.tensors()[name])
