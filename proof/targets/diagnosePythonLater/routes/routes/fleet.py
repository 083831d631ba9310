from routes.van import Van


def fleet(plan):
    return {depot: len(Van(depot).load(addresses).stops) for depot, addresses in plan.items()}
