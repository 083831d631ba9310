from menu.plan import plan_from
from menu.shopping import shopping_list


def test_nothing_planned():
    assert shopping_list(plan_from('north', [])) == {}


def test_two_days():
    plan = plan_from('north', ['mon: soup', 'wed: stew'])
    assert shopping_list(plan) == {'leek': 2, 'beef': 1}
