def route(first, stops=[]):
    stops.append(first)
    return stops


def extended(stops, more):
    return stops + more
