"""Trainings asked for one after another, in one process: a device is started once.

Every line of standard input is an order, the words of `nue_trainer deep` as a list in JSON; for every one there
is a line of output. Positions of files that the next order asks for again stay on the device. docs/deep-trainer.md.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import Any, TextIO

from .run import DeepRun
from .settings import DeepSettings
from .supply import KeptFiles
from .team import Team

VERSION = 1
# What the words of a training say.
Told = Callable[[list[str]], dict[str, Any]]


class Orders:
    """Reads orders and carries them out; ends with its input, in the middle of a training too."""

    def __init__(self, told: Told, source: TextIO, sink: TextIO) -> None:
        self._told, self._source, self._sink = told, source, sink
        self._files = KeptFiles()
        self._waiting: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._busy = False

    def _read(self) -> None:
        for line in self._source:
            self._waiting.put(line)
        if self._busy:
            # Whoever asked is gone, and nobody wants the answer.
            os._exit(143)
        self._waiting.put(None)

    def _say(self, told: dict[str, Any]) -> None:
        self._sink.write(json.dumps(told) + "\n")
        self._sink.flush()

    def _train(self, line: str) -> dict[str, Any]:
        words = json.loads(line)
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ValueError("an order is a list of words")
        settings = DeepSettings(**self._told(words))
        with Team(settings.device) as team:
            return DeepRun(settings, team, lambda _: None, self._files).all()

    def run(self) -> None:
        """Until the input ends."""
        self._say({"protocol": "nue-orders", "version": VERSION})
        threading.Thread(target=self._read, name="orders", daemon=True).start()
        while (line := self._waiting.get()) is not None:
            self._busy = True
            try:
                answer: dict[str, Any] = {"done": self._train(line)}
            except SystemExit:
                answer = {"error": "the words of the order are not those of a training"}
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            self._busy = False
            self._say(answer)


def run(told: Told) -> None:
    """Orders from standard input, answers to standard output."""
    # Whatever a library prints must not come between the answers.
    sink, sys.stdout = sys.stdout, sys.stderr
    Orders(told, sys.stdin, sink).run()
