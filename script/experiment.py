"""What scripts that measure learning share: steps in a folder, matches and their tables.

A step is one command of `nue`, or of the trainer in PyTorch, run in the folder. It is run once: `steps.jsonl` has every command that ended, with
what it told. Called again, an experiment goes on with the step that did not end, which the command itself continues.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import math
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, NamedTuple

# How `nue` ends when it was interrupted, and when training found nothing better.
INTERRUPTED, NOTHING = 130, 3
# Seconds in which an interrupted command ends by itself: games under way are finished.
ENDING = 60
# Of the output of a command that failed, so much is shown.
LAST_WORDS = 1500
# The first word of a command of the trainer in PyTorch, and how it begins; every other command is one of `nue`.
PYTHON = "python3"
TRAINER = [PYTHON, "-m", "nue_trainer", "train"]
ROOT = Path(__file__).resolve().parents[1]
# Where an engine's lead is so large and both say so, a game is over.
RESIGN = ["--resign", "score=2500,moves=4"]


class Stopped(Exception):
    """The time is over, or somebody asked to end."""


class Failed(Exception):
    """Something cannot be done; the words say what and why."""


class Step(NamedTuple):
    """A command that ended."""

    name: str
    words: list[str]
    seconds: float
    # The last line it printed, where that is JSON.
    told: Any
    # Training found nothing better than what it began with.
    nothing: bool


def locked(folder: Path) -> int:
    """A lock of the folder, which is made where it is missing. What is started holds it too: a command that outlived its
    script still works there."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise Failed(f"{folder}: another run works in this folder; wait for it, or take another one") from None
    return lock


class Experiment:
    """A folder with steps. One that is only read has no lock."""

    def __init__(self, folder: Path, nue: str = "nue", minutes: float | None = None, threads: int = 1,
                 nice: bool = False, say: Callable[[str], None] = print, reading: bool = False,
                 python: str = sys.executable) -> None:
        self.folder, self.threads, self.say = folder, threads, say
        self.nue, self.python = (os.path.abspath(name) if os.sep in name else name for name in (nue, python))
        self.priority = ["nice", "-n", "19"] if nice else []
        self.begun = time.monotonic()
        self.deadline = None if minutes is None else self.begun + 60 * minutes
        self.steps: dict[str, Step] = {}
        # Seconds of steps that were begun and did not end.
        self.unfinished: dict[str, float] = {}
        self.journal = folder / "steps.jsonl"
        self.lock = None if reading else locked(folder)
        try:
            self.read()
        except Failed:
            self.close()
            raise

    def close(self) -> None:
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None

    def __enter__(self) -> Experiment:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # The journal

    def read(self) -> None:
        """What was done before; half a line at the end, of a run that was killed, is cut off."""
        if not self.journal.exists():
            if self.lock is None:
                raise Failed(f"{self.journal}: there is no such file; nothing was measured in this folder")
            return
        text = self.journal.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        if len(whole) < len(text) and self.lock is not None:
            os.truncate(self.journal, len(whole))
        for number, line in enumerate(whole.decode(errors="replace").splitlines(), 1):
            try:
                row = json.loads(line)
                name, seconds = str(row["step"]), float(row["seconds"])
                before = self.unfinished.get(name, 0.0)
                if row["ended"]:
                    words = [str(word) for word in row["words"]]
                    self.steps[name] = Step(name, words, before + seconds, row.get("told"), bool(row.get("nothing")))
                else:
                    self.unfinished[name] = before + seconds
            except (ValueError, KeyError, TypeError) as error:
                raise Failed(f"{self.journal}, line {number}: {error!r} in {line[:80]!r}; "
                             "take another folder, or mend the line") from None

    def write(self, **row: Any) -> None:
        with self.journal.open("a") as journal:
            journal.write(json.dumps(row, ensure_ascii=False) + "\n")

    # Commands

    def left(self) -> float:
        """Seconds until the time is over."""
        return math.inf if self.deadline is None else self.deadline - time.monotonic()

    def step(self, name: str, words: list[str], threads: str | None = None, may_be_nothing: bool = False,
             machine: list[str] | None = None) -> Step:
        """Runs a command unless it ended before. `threads` is the flag for their number and `machine` has more that
        results do not depend on, for the trainer."""
        done = self.steps.get(name)
        if done is not None:
            if done.words != words:
                raise Failed(f"{self.folder}: step {name!r} was made by\n  {shown(done.words)}\nand not by\n"
                             f"  {shown(words)}\ntake another folder, or the settings of before")
            return done
        if self.left() < 1:
            raise Stopped("the time is over")
        self.say(f"[{time.monotonic() - self.begun:4.0f} s] {shown(words)}")
        extra = [] if threads is None else [threads, str(self.threads)]
        begun = time.monotonic()
        if words[:1] == [PYTHON]:
            # What comes last is for the stream of positions.
            at = len(TRAINER)
            code, told, stopped = self.run(name, words[:at] + (machine or []) + extra + words[at:])
        else:
            code, told, stopped = self.run(name, words + extra)
        seconds = round(time.monotonic() - begun, 1)
        if code == INTERRUPTED or stopped and code:
            self.write(step=name, words=words, seconds=seconds, ended=False)
            self.unfinished[name] = self.unfinished.get(name, 0.0) + seconds
            raise Stopped(f"step {name!r} was stopped")
        if code and not (may_be_nothing and code == NOTHING):
            log = self.log(name).read_text(errors="replace")[-LAST_WORDS:].strip()
            raise Failed(f"step {name!r} failed with code {code}: {shown(words)}\n{log}")
        nothing = code == NOTHING
        lines = told.strip().splitlines()
        try:
            last = json.loads(lines[-1]) if lines else None
        except ValueError:
            last = None
        self.write(step=name, words=words, seconds=seconds, ended=True, told=last, nothing=nothing)
        self.steps[name] = Step(name, words, self.unfinished.get(name, 0.0) + seconds, last, nothing)
        return self.steps[name]

    def log(self, name: str) -> Path:
        return self.folder / "logs" / (name.replace(" ", "-") + ".log")

    def run(self, name: str, words: list[str]) -> tuple[int, str, bool]:
        """Runs a command; its exit code, its output, and whether it was interrupted: at the end of the time, or where
        somebody asked to end."""
        assert self.lock is not None, "a folder that is only read"
        stopped = False
        log = self.log(name)
        log.parent.mkdir(exist_ok=True)
        trainer = words[:1] == [PYTHON]
        program = [self.python, *words[1:]] if trainer else [self.nue, *words]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")} if trainer else None
        with log.open("ab") as errors:
            errors.write(f"$ {shown(words)}\n".encode())
            errors.flush()
            try:
                # A session of its own: whoever interrupts this script does not interrupt the command twice.
                child = subprocess.Popen(self.priority + program, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=errors, start_new_session=True,
                                         pass_fds=[self.lock])
            except OSError as error:
                flag = "--python" if trainer else "--nue"
                raise Failed(f"{program[0]}: {error.strerror}; {flag} names the executable") from None
            left = self.left()
            try:
                told, _ = child.communicate(timeout=None if math.isinf(left) else max(left, 0))
            except (subprocess.TimeoutExpired, KeyboardInterrupt):
                stopped = True
                child.send_signal(signal.SIGINT)
                try:
                    told, _ = child.communicate(timeout=ENDING)
                except (subprocess.TimeoutExpired, KeyboardInterrupt):
                    child.kill()
                    told, _ = child.communicate()
        return child.returncode, told.decode(errors="replace"), stopped

    # What every experiment does

    def openings(self, name: str, game: str, count: int, plies: str, seed: int, nodes: int, margin: int = 100) -> str:
        """Balanced openings; the file's name."""
        out = f"{name}.openings"
        self.step(f"{name} openings",
                  ["openings", "make", "--game", game, "--count", str(count), "--plies", plies, "--nodes", str(nodes),
                   "--margin", str(margin), "--seed", str(seed), "--out", out, "--force"], "-j")
        return out

    def split(self, name: str, games: str, share: float) -> tuple[str, str]:
        """Games to learn from and games held out; the names of the files."""
        train, check = f"{name}.train.teacher", f"{name}.check.teacher"
        self.step(f"{name} split", ["data", "split", games, "--train", train, "--validation", check,
                                    "--share", f"{share:g}", "--force"])
        return train, check

    def match(self, name: str, engines: list[str], game: str, games: int, each: str, openings: str,
              extra: list[str] | None = None) -> Step:
        """A match, every pairing with so many games. Its words tell how it went by colour, too."""
        words = ["match", "--json", "--game", game, "--games", str(games), "--openings", openings, "--seed", "1",
                 *RESIGN, "--out", f"{file_name(name)}.csa", "--resume", "--each", each, *(extra or [])]
        for engine in engines:
            words += ["--engine", engine]
        return self.step(name, words, "-j")

    def colours(self, name: str, player: str) -> dict[str, list[int]]:
        """Games a player won, drew and lost with each colour."""
        found = {"black": [0, 0, 0], "white": [0, 0, 0]}
        for line in (self.folder / f"{file_name(name)}.csa.journal").read_text().splitlines():
            game = json.loads(line)
            if player in game.get("players", ()):
                colour = ("black", "white")[game["players"].index(player)]
                place = 1 if game["winner"] == "draw" else 0 if game["winner"] == colour else 2
                found[colour][place] += 1
        return found


class Kind(NamedTuple):
    """A kind of evaluation that learns from the same games as another one."""

    name: str
    architecture: str


def compare_kinds(this: Experiment, kinds: list[Kind], games_file: str, args: argparse.Namespace) -> None:
    """Every kind learns from the same games; then they meet at equal nodes and in equal time."""
    train, check = this.split("kinds", games_file, args.share)
    nets = []
    for kind in kinds:
        # Tables of three pieces are a folder.
        out = kind.name if kind.architecture in ("kppt", "kpp_kkpt") else f"{kind.name}.bin"
        nets.append(out)
        this.step(f"kinds train {kind.name}",
                  ["train", train, "--validation", check, "--game", args.game, "--arch", kind.architecture,
                   "--out", out, "--epochs", str(args.passes), "--batch", str(args.batch), "--lambda", f"{args.mix:g}",
                   "--halvings", "99", "--seed", str(args.seed), "--resume"], "--threads")
    openings = this.openings("kinds", args.game, args.openings, "4-8" if args.game == "shogi" else "3-6", args.seed,
                             args.opening_nodes)
    engines = [f"cmd=self,name={kind.name},option.EvalDir={net}" for kind, net in zip(kinds, nets)]
    each = "option.Threads=1,option.USI_Hash=16"
    this.match("kinds nodes", engines, args.game, args.games, f"{each},nodes={args.nodes}", openings)
    this.match("kinds time", engines, args.game, args.games, f"{each},movetime={args.time}", openings,
               ["--margin", "1000"])


def kinds_table(this: Experiment) -> list[str]:
    """What came of `compare_kinds`."""
    return pairings_table(this, (("kinds nodes", "equal nodes"), ("kinds time", "equal time")))


def pairings_table(this: Experiment, matches: tuple[tuple[str, str], ...]) -> list[str]:
    """Every pairing of these matches that were played; a match is a step and in words what its players have."""
    rows = ["| | games | won–drawn–lost of the first | Elo | thousand nodes a second |", "|---|---|---|---|---|"]
    for name, limit in matches:
        told = told_of(this, name)
        for pairing in told["pairings"] if told is not None else []:
            players = {engine["name"]: engine for engine in told["engines"]}
            games = sum(pairing[key] for key in ("wins", "draws", "losses"))
            rows.append(f"| {' against '.join(pairing['engines'])}, {limit} | {games} | {score(pairing)} | "
                        f"{elo(pairing['elo'])} | {', '.join(speed(players[player]) for player in pairing['engines'])} |")
    return rows


# Words

def shown(words: list[str]) -> str:
    """A command as it is typed."""
    return shlex.join(words if words[:1] == [PYTHON] else ["nue", *words])


def file_name(step: str) -> str:
    return step.replace(" ", "-")


def told_of(this: Experiment, name: str) -> Any:
    """What a match told, if it was played."""
    step = this.steps.get(name)
    return None if step is None else step.told


def score(pairing: dict[str, Any]) -> str:
    return f"{pairing['wins']}–{pairing['draws']}–{pairing['losses']}"


def signed(number: float) -> str:
    return f"{number:+.0f}".replace("-", "−")


def elo(bounds: list[float | None] | None) -> str:
    """Elo with its 95 % error; a bound that does not exist is said."""
    if not bounds or bounds[1] is None:
        low, high = (bounds[0], bounds[2]) if bounds else (None, None)
        return (f"above {signed(low)}" if low is not None else f"below {signed(high)}" if high is not None else "–")
    low, middle, high = bounds
    if low is None or high is None:
        return f"{signed(middle)} (open)"
    return f"{signed(middle)} ± {(high - low) / 2:.0f}"


def speed(engine: dict[str, Any]) -> str:
    """Thousand nodes a second of an engine's searches."""
    used = engine["time"]
    return f"{used['nodes'] / used['ms']:.0f}" if used.get("ms") and used.get("nodes") else "–"


def commands(this: Experiment) -> list[str]:
    """Every command, to be repeated by hand in a folder."""
    seconds = sum(step.seconds for step in this.steps.values())
    return ["```sh", *(shown(step.words) for step in this.steps.values()), "```", "",
            f"{len(this.steps)} commands, {seconds:.0f} s in all."]


# Flags

def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def inner(text: str) -> float:
    """A number between 0 and 1."""
    number = float(text)
    if not 0 < number < 1:
        raise ValueError(text)
    return number


def numbers(text: str) -> list[int]:
    """Positive numbers with commas between them, none twice."""
    found = [positive(word) for word in text.split(",")]
    if len(set(found)) < len(found):
        raise ValueError(text)
    return found


def add_usual(parser: argparse.ArgumentParser, share: float) -> None:
    """The flags of every experiment; so large a share is held out unless told."""
    add = parser.add_argument
    add("folder", type=Path, help="everything is made here; the same folder goes on")
    add("--nue", default="target/release/nue", help="the executable")
    add("--python", default=sys.executable, help="with torch, where the trainer in PyTorch is asked for")
    add("--minutes", type=float, help="ends after so many; the same command goes on (default: no limit)")
    add("-j", "--threads", type=positive, default=os.cpu_count() or 1, help="games at a time, threads of training")
    add("--nice", action="store_true", help="at the lowest priority")
    add("--seed", type=positive, default=1, help="another one, other games")
    add("--games", type=positive, default=1000, help="of every pairing (1000)")
    add("--share", type=inner, default=share, help=f"of the games that is held out of training ({share:g})")


def main(work: Callable[[argparse.Namespace, Experiment], None], args: argparse.Namespace,
         reading: bool = False) -> int:
    """Runs an experiment; the exit code is 130 where it was stopped, as `nue` has it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with Experiment(args.folder, args.nue, args.minutes, args.threads, args.nice,
                        lambda text: print(text, file=sys.stderr, flush=True), reading, args.python) as this:
            work(args, this)
    except Stopped as why:
        print(f"{why}; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    except (Failed, OSError) as error:
        print(f"{Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        return 1
    return 0
