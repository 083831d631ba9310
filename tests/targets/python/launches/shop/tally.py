def tally(names):
    return len(names)


def main():
    print(tally(['a', 'b']))
