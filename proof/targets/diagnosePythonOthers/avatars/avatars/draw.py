def draw(name, size):
    return f"<{name[0]} {size}x{size}>"
