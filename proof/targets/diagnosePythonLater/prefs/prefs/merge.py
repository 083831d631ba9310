def merged(first, second):
    return {**first, **second}
