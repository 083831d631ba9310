def scores(text):
    return (int(part) for part in text.split(",") if part)
