import threading

from lockers.row import Row


class Hall:
    def __init__(self, count):
        self.row = Row(count)

    def admit(self, visitors):
        threads = [threading.Thread(target=self.row.take, args=(one,)) for one in visitors]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return len(self.row.taken)
