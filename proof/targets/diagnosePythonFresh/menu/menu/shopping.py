from menu.week import dishes

NEEDS = {'soup': ['leek'], 'stew': ['beef', 'leek'], 'salad': ['kale']}


def shopping_list(plan):
    needed = {}
    for dish in dishes(plan.week):
        for item in NEEDS[dish]:
            needed[item] = needed.get(item, 0) + 1
    return needed
