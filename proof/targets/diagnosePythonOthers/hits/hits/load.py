import threading


def visit(meter, pages):
    for page in pages:
        meter.hit(page)


def crowd(meter, visitors, pages):
    threads = [threading.Thread(target=visit, args=(meter, pages)) for _ in range(visitors)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
