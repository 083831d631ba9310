def key_for(name, size):
    return name.lower()
