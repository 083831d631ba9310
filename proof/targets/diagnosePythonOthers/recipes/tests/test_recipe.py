from kitchen.recipe import Recipe


def test_volume():
    recipe = Recipe("Pancakes", ["2 cup milk", "1/2 cup oil", "3 tsp salt"])
    assert recipe.names() == ["milk", "oil", "salt"]
    assert recipe.volume() == 500 + 125 + 15
