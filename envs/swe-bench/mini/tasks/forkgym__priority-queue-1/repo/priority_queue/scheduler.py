from .queue import PriorityQueue


class Scheduler:
    """Runs callables at times of its own clock, which only moves when told to."""

    def __init__(self):
        self.now = 0
        self._waiting = PriorityQueue()

    def at(self, time, action):
        if time < self.now:
            raise ValueError(f"{time} is in the past")
        self._waiting.push(action, time)

    def after(self, delay, action):
        self.at(self.now + delay, action)

    def cancel(self, action):
        return self._waiting.remove(action)

    def advance(self, time):
        """Runs what is due up to `time`; gives how many actions ran."""
        ran = 0
        while len(self._waiting):
            action, due = self._waiting.pop_with_priority()
            if due > time:
                self._waiting.push(action, due)
                break
            self.now = due
            action()
            ran += 1
        self.now = time
        return ran
