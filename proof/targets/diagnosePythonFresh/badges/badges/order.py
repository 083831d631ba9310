from badges.teams import by_team

PRICE = 3


def order(people):
    return {team: len(names) * PRICE for team, names in by_team(people).items()}


def total(people):
    return sum(order(people).values())
