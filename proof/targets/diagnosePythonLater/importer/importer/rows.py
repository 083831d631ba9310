def rows(text):
    for line in text.splitlines():
        if line.strip():
            yield line.split(';')
