"""`script/round`: what it decides, and how its background plays. No net is trained here."""

from __future__ import annotations

import json
import sys
import tarfile
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any

from tests.scripts import load

# A player that writes games until it is interrupted, as `nue gen` does.
PLAYER = """#!/bin/sh
while [ $# -gt 0 ]; do
    case "$1" in --out) out=$2 ;; --nodes) nodes=$2 ;; esac
    shift
done
trap 'exit 0' INT
head -c 3000 /dev/zero >"$out"
echo "nodes $nodes"
while :; do sleep 0.05; done
"""


ROUND = load("round")


class Rounds(unittest.TestCase):
    def setUp(self) -> None:
        ROUND.hear_interrupts()
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)
        (self.folder / "carry").mkdir()

    def round(self, *words: str) -> Any:
        args = ROUND.arguments(
            ["1", "--work", str(self.folder / "work"), "--carry", str(self.folder / "carry"),
             "--out", str(self.folder / "out"), *words]
        )
        return ROUND.Round(args)

    def games(self, this: Any, *names: str, size: int = 3000) -> None:
        for name in names:
            (this.work / "games" / f"{name}.teacher").write_bytes(bytes(size))

    def test_elo_with_its_error(self) -> None:
        self.assertAlmostEqual(ROUND.elo(500, 0, 500)[0], 0.0)
        difference, error = ROUND.elo(640, 0, 360)
        self.assertAlmostEqual(difference, 100, delta=1)
        self.assertAlmostEqual(error, 22.4, delta=0.5)
        self.assertEqual(ROUND.elo(0, 0, 0), (0.0, 1000.0))
        self.assertAlmostEqual(ROUND.elo(360, 0, 640)[0], -difference)

    def test_labels_that_won_are_taken(self) -> None:
        weights = {"v1": 0.7, "v2": 1.0}
        cases = [
            ({"a1": 5.0, "v1": 20.0, "v2": 10.0}, 0.7),
            ({"a1": 5.0, "v1": 20.0, "v2": 30.0}, 1.0),
            ({"a1": 25.0, "v1": 20.0, "v2": 10.0}, 0.0),
            # Without a control the current net, 0, is what to beat.
            ({"v2": 3.0}, 1.0),
            ({"v2": -3.0}, 0.0),
            ({"a1": 5.0}, 0.0),
        ]
        for known, wanted in cases:
            self.assertEqual(ROUND.label_weight(known, weights, "a1"), wanted, known)

    def test_a_round_of_two_calls_has_no_third(self) -> None:
        self.assertEqual(ROUND.arguments(["2", "--calls", "2"]).calls, 2)
        self.assertEqual(ROUND.arguments(["3"]).calls, 3)
        self.refused("3", "--calls", "2")
        self.refused("2", "--calls", "1")
        self.assertEqual(ROUND.arguments(["peer", "--calls", "1"]).stage, "peer")

    def test_a_round_of_another_game_has_its_own_recipe(self) -> None:
        this = self.round("--game", "minishogi")
        this.state["scale"] = 500.0
        one = self.folder / "one.teacher"
        one.write_bytes(bytes(3000))
        plan = this.plan("x", {"data": [str(one)]}, 60)
        self.assertEqual((plan["features"], plan["width"]), ("halfkp", 512))
        self.assertEqual(this.args.current.name, "minishogi.nnz")
        self.assertEqual(self.round().args.current.name, "shogi.nnz")
        # A teacher of moves: value nets see K+P features, which minishogi has not.
        self.assertIn("deep", this.teaching("t1", [str(one)], 60, 0.8, None))
        self.assertIn("value", self.round().teaching("t1", [str(one)], 60, 0.8, None))

    def test_a_generation_in_one_call_differs_in_one_thing_each(self) -> None:
        this = self.round("--game", "minishogi", "--calls", "1")
        this.state.update({"elo": {"current": 0.0}, "best": "current"})
        (this.carry / "current.nuef").write_bytes(b"x")

        def differences(jobs: Any) -> list[set[str]]:
            (_, first, _), *others = jobs
            return [{key for key in {*first, *config} if first.get(key) != config.get(key)}
                    for _, config, _ in others]

        jobs = this.one_generation("a", ["g"], 60)
        self.assertEqual([name for name, _, _ in jobs], ["a1", "a2", "a3"])
        self.assertEqual(differences(jobs), [{"init", "lr", "passes"}, {"init", "lr", "passes", "width"}])
        self.assertEqual(jobs[2][1]["width"], 256)
        # Without a teacher the second net of the next begins from random numbers.
        self.assertEqual(differences(this.one_generation("b", ["g"], 60)), [{"init", "lr", "passes"}])
        (this.work / "nets" / "t1.value").write_bytes(b"x")
        jobs = this.one_generation("b", ["g"], 60)
        self.assertEqual(differences(jobs), [{"teacher", "teacher-data", "teacher-weight"}] * 2)
        # The last one takes the labels that won, for a net of the other width too, which goes on from one that is there.
        this.state["elo"].update({"b1": 10.0, "b2": 30.0, "b3": 20.0})
        jobs = this.one_generation("c", ["g"], 60)
        self.assertEqual(jobs[0][1]["teacher-weight"], 0.7)
        self.assertEqual(differences(jobs), [{"init", "lr", "passes", "width"}])
        this.state["nets"].update({"a1": {"plan": {"width": 512}}, "a3": {"plan": {"width": 256}}})
        (this.work / "nets" / "a3.nuef").write_bytes(b"x")
        jobs = this.one_generation("c", ["g"], 60)
        self.assertEqual(differences(jobs), [{"init", "width"}])
        self.assertEqual(Path(jobs[1][1]["init"]).name, "a3.nuef")
        # Where the best net has that width, the search's labels are tried beside the teacher's.
        this.state["nets"]["b2"] = {"plan": {"width": 256}}
        (this.work / "nets" / "b2.nuef").write_bytes(b"x")
        this.state["best"] = "b2"
        keys = ("features", "hidden1", "hidden2", "n-step", "blend", "blend-end", "integers-from", "lr")
        this.state["nets"]["b2"]["plan"].update(dict.fromkeys(keys, 0))
        (_, first, _), (_, second, _) = this.one_generation("c", ["g"], 60)
        self.assertEqual((first["teacher-weight"], "teacher" in second, first["width"]), (0.7, False, 256))
        this.state["best"] = "current"
        this.state["nets"].clear()
        this.state["elo"].update({"b1": 40.0})
        (_, first, _), (_, second, _) = this.one_generation("c", ["g"], 60)
        self.assertNotIn("teacher", {**first, **second})
        self.assertEqual((first["lr"], second["lr"]), (4e-4, 1e-3))

    def test_a_round_in_one_call_plays_cheap_games_where_a_teacher_judges_them(self) -> None:
        this = self.round("--game", "minishogi", "--calls", "1")
        this.state.update({"scale": 500.0, "elo": {"current": 0.0}, "best": "current"})
        told: list[tuple[str, Any]] = []
        gains = {"b1": 10.0, "b2": 30.0}

        def candidates(jobs: Any, reserve: float) -> None:
            told.extend((name, Path(config["teacher-data"][-1]).stem if config.get("teacher-data") else None)
                        for name, config, _ in jobs)
            this.state["elo"].update({n: gains[n] for n, _, _ in jobs if n in gains})

        def control(fast: bool) -> None:
            told.append(("fast", fast))
            if fast:
                self.games(this, f"{len(this.fast_games()):03d}-current-fast")

        this.prepare = this.start_playing = this.stop_playing = lambda: None
        this.teach = lambda name, *_: (this.work / "nets" / f"{name}.value").write_bytes(b"x")
        this.control, this.candidates, this.gate = control, candidates, lambda *_: {}
        this.deadline = time.monotonic()
        this.in_one()
        kept = [entry for entry in told if entry != ("fast", False)]
        self.assertEqual(kept, [
            ("a1", None), ("a2", None), ("a3", None), ("fast", True),
            ("b1", None), ("b2", "000-current-fast"), ("b3", "000-current-fast"), ("fast", True),
            ("c1", "001-current-fast"), ("c2", "001-current-fast"), ("fast", True)])
        # Where the search's labels are better, games go on in earnest.
        gains.update({"b1": 40.0})
        told.clear()
        this.in_one()
        self.assertEqual([name for name, _ in told if name[0] == "c"], ["c1", "c2"])
        self.assertEqual(told[-1], ("fast", False))

    def program(self, text: str) -> str:
        path = self.folder / "nue"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return str(path)

    def test_openings_that_nobody_carried_are_made(self) -> None:
        # No game comes of self-play: all openings are by random moves.
        made = self.program("""[ "$1" = openings ] || exit 1
while [ $# -gt 0 ]; do case "$1" in --out) out=$2 ;; --game) game=$2 ;; esac; shift; done
{ echo "# $game"; for i in 1 2 3 4 5 6 7 8; do echo "$game $i"; done; } >"$out"
""")
        this = self.round("--game", "minishogi", "--nue", made, "--scale", "0.01")
        files = this.openings()
        self.assertEqual([len(f.read_text().splitlines()) for f in files], [2, 2, 2, 2])
        self.assertEqual(files[0].read_text(), "minishogi 1\nminishogi 2\n")
        self.assertIn("0 openings of 8", (this.work / "logs" / "round.log").read_text())

    def test_half_of_the_openings_are_lines_of_good_moves(self) -> None:
        # Games of near-best moves by the current net, as `nue data head` shows them; the last is as the one before.
        moves = "".join(f"  {ply % 9 + 1}a{ply % 9 + 1}b 7" for ply in range(30))
        games = ["  1a1bx -", *(f"  {first}? -{moves}" for first in ("9i9h", "8i8h", "8i8h"))]
        (self.folder / "shown").write_text("".join(f"start b - 1  draw\n{game}\n" for game in games))
        made = self.program("""echo "$@" >>"$0.said"
if [ "$1 $2" = "data head" ]; then cat "${0%nue}shown"; fi
""")
        (self.folder / "carry" / "some.usi").write_text("# made\n" + "".join(f"startpos moves lot{i}\n" for i in range(12)))
        this = self.round("--nue", made, "--scale", "0.02")
        ROUND.write_whole(this.work / "control.json", "{}")
        files = this.openings()
        lines = [line for file in files for line in file.read_text().splitlines()]
        self.assertEqual({len(file.read_text().splitlines()) for file in files}, {2})
        played = [line for line in lines if "lot" not in line]
        self.assertEqual([" ".join(line.split()[:3]) for line in played], ["sfen start b"] * 2)
        self.assertEqual([line.split()[6] for line in played], ["9i9h", "8i8h"])
        self.assertTrue(all(16 <= len(line.split()) - 6 <= 24 for line in played), played)
        # One of each in turn, as long as there are both.
        self.assertEqual(["lot" in line for line in lines[:5]], [True, False, True, False, True])
        gen, head = (self.folder / "nue.said").read_text().splitlines()
        self.assertIn("--near-best lines=4,margin=60,until=24", gen)
        self.assertIn("shogi.nnz", gen)
        self.assertFalse(json.loads((this.work / "control.json").read_text())["pause"], "self-play goes on")
        # Made once.
        self.assertEqual(this.openings(), files)
        self.assertEqual(len((self.folder / "nue.said").read_text().splitlines()), 2)

    def test_a_line_is_cut_where_it_is_even(self) -> None:
        scores = ["-", "40", "-160", "150", "-151", "32000", "-20"]
        told = "start b - 1  draw\n  " + "  ".join(f"{i}a{i}bx {score}" for i, score in enumerate(scores)) + "\n"
        found = {len(line.split()) - 6 for seed in range(40) for line in ROUND.even_lines(told, range(2, 9), seed)}
        self.assertEqual(found, {3, 6})
        self.assertEqual(ROUND.even_lines(told, range(4, 6), 1), [])
        self.assertEqual(ROUND.even_lines(told, range(3, 4), 1), ["sfen start b - 1 moves 0a0b 1a1b 2a2b"])

    def test_what_is_not_carried_is_made_before_a_round_in_one_call(self) -> None:
        made = self.program("""echo "$@" >>"$0.said"
while [ $# -gt 0 ]; do case "$1" in --out|--output) echo made >"$2" ;; esac; shift; done
""")
        this = self.round("--game", "minishogi", "--nue", made)
        this.prepare()
        said = (self.folder / "nue.said").read_text().splitlines()
        self.assertEqual([line.split()[0] for line in said], ["gen", "net"])
        self.assertIn("--game minishogi", said[0])
        this.prepare()
        self.assertEqual(len((self.folder / "nue.said").read_text().splitlines()), 2)

    def test_a_match_with_a_peer_ends_by_the_clock_and_counts(self) -> None:
        # Games until it is interrupted, then the summary; the second engine is named first.
        match = self.program("""trap 'echo "{\\"pairings\\":[{\\"engines\\":[\\"peer\\",\\"new\\"],\\"wins\\":2,\\"draws\\":1,\\"losses\\":7}]}"; exit 130' INT
echo "$@" >>"$0.said"
if [ "$1" = openings ]; then
    while [ $# -gt 0 ]; do case "$1" in --out) echo line >"$2" ;; esac; shift; done
    exit
fi
while :; do sleep 0.05; done
""")
        this = self.round("--game", "minishogi", "--nue", match, "--scale", "0.01", "--threads", "4")
        (this.carry / "fairy-stockfish").write_bytes(b"x")
        # Time enough for a shell to begin on a busy machine: interrupted before, it would say nothing.
        this.deadline = time.monotonic() + 50
        this.peer()
        self.assertEqual(this.state["peers"], {"current": {"won": 7, "drawn": 1, "lost": 2}})
        said = (self.folder / "nue.said").read_text()
        self.assertIn("-j 3", said)
        self.assertNotIn("--resume", said)
        # Its openings are looked at longer than those of gates.
        made, played = said.splitlines()
        self.assertIn("--plies 3-6 --margin 100 --nodes 100000", made)
        self.assertIn(str(this.work / "openings" / "peer.txt"), played)
        (this.work / "logs" / "peer-current.csa").write_text("")
        this.deadline = time.monotonic() + 39
        this.peer()
        self.assertIn("--resume", (self.folder / "nue.said").read_text())

    def test_labels_need_two_calls_and_a_share(self) -> None:
        self.assertEqual(ROUND.arguments(["1", "--calls", "2", "--labels", "0.7"]).labels, 0.7)
        self.refused("1", "--labels", "1")
        self.refused("1", "--calls", "2", "--labels", "1.5")
        self.refused("1", "--calls", "2", "--labels", "0")

    def refused(self, *words: str) -> None:
        with self.assertRaises(SystemExit), open("/dev/null", "w") as nowhere:
            errors, sys.stderr = sys.stderr, nowhere
            try:
                ROUND.arguments(list(words))
            finally:
                sys.stderr = errors

    def test_fast_games_are_kept_apart(self) -> None:
        this = self.round()
        self.games(this, "000-current", "001-current-fast", "002-v1")
        self.assertEqual([p.stem for p in this.games()], ["000-current", "002-v1"])
        self.assertEqual([p.stem for p in this.fast_games()], ["001-current-fast"])
        out = self.folder / "out"
        out.mkdir()
        this.pack_games(out)
        with tarfile.open(out / "games1.tar") as tar:
            self.assertEqual(tar.getnames(), ["002-v1.teacher", "000-current.teacher"])

    def test_positions_for_the_teacher_count_in_the_plan(self) -> None:
        this = self.round()
        this.state["scale"] = 800.0
        # Ten thousand samples a second, fifty seconds after the start: half a million samples.
        this.args.speed = 10_000
        one = self.folder / "one.teacher"
        one.write_bytes(bytes(215_000))
        config = {"data": [str(one)], "passes": 20}
        alone = this.plan("x", config, 75)
        both = this.plan("x", {**config, "teacher-data": [str(one)] * 3}, 75)
        self.assertEqual((alone["positions"], both["positions"]), (100_000, 400_000))
        self.assertEqual((alone["epochs"], both["epochs"]), (9, 2))

    def test_batches_shrink_with_the_games(self) -> None:
        # As many steps as at full size: the first dozen move nothing on the grid of the engine's integers.
        for scale, batch in (("1", 16384), ("0.02", 328), ("0.001", 256), ("2", 16384)):
            this = self.round("--scale", scale)
            this.state["scale"] = 800.0
            self.assertEqual(this.plan("x", {"data": []}, 60)["batch"], batch, scale)

    def test_more_positions_take_longer_to_begin_with(self) -> None:
        this = self.round()
        self.assertEqual(this.start_of(1_000_000), 25.0)
        this.state["speed"].update({"start": 30.0, "read": 1_000_000})
        self.assertEqual(this.start_of(3_000_000), 90.0)
        # What every run needs besides is not known: fewer positions promise nothing.
        self.assertEqual(this.start_of(100_000), 30.0)

    def test_the_teacher_that_tells_results_better_is_taken(self) -> None:
        this = self.round()
        self.assertIsNone(this.better_teacher())
        for name in ("t1", "t2"):
            (this.work / "nets" / f"{name}.value").write_bytes(b"x")
        self.assertEqual(this.better_teacher().stem, "t2")
        losses = {"t1": {"teacher_result_loss": 0.58}, "t2": {"teacher_result_loss": 0.59}}
        this.state["teachers"] = losses
        self.assertEqual(this.better_teacher().stem, "t1")
        losses["t2"]["teacher_result_loss"] = 0.57
        self.assertEqual(this.better_teacher().stem, "t2")
        # One whose run said nothing of itself is the last resort.
        losses.pop("t2")
        self.assertEqual(this.better_teacher().stem, "t1")
        # The carried one counts where its loss is known.
        (this.carry / "teacher.value").write_bytes(b"x")
        self.assertEqual(this.better_teacher().stem, "t1")
        this.args.teacher_loss = 0.57
        self.assertEqual(this.better_teacher().stem, "teacher")
        this.args.teacher_loss = 0.585
        self.assertEqual(this.better_teacher().stem, "t1")

    def test_a_known_teacher_learns_from_new_games_only_when_they_are_there(self) -> None:
        this = self.round("--calls", "2", "--labels", "1")
        this.state["scale"] = 800.0
        (this.carry / "teacher.value").write_bytes(b"x")
        told: list[bool] = []
        this.start_playing = lambda: self.games(this, "000-current")
        this.control = lambda fast: (told.append(fast), self.games(this, "001-current-fast"))
        this.teach = lambda *_: self.fail("no training on games that it knows")
        begun: list[list[Any]] = []
        this.teaching = lambda *words: begun.append(list(words)) or [sys.executable, "-c", ""]
        this.deadline = time.monotonic() + 1
        this.first_of_two()
        self.assertEqual(set(told), {True})
        ((name, files, _, _, init),) = begun
        self.assertEqual((name, Path(init).name), ("t2", "teacher.value"))
        self.assertEqual([Path(file).stem for file in files], ["000-current", "001-current-fast"])

    def test_a_net_goes_on_with_the_width_of_the_best(self) -> None:
        this = self.round()
        self.assertEqual(this.from_best(), {})
        (this.carry / "current.nuef").write_bytes(b"x")
        self.assertEqual(set(this.from_best()), {"init", "lr", "width"})
        # A net of another width that did not win leaves the best one's as it is.
        losing = {"features": "kp", "width": 256, "hidden1": 32, "hidden2": 32, "n-step": 0.8, "blend": 0.9,
                  "blend-end": 0.75, "integers-from": 0.0, "lr": 1e-3}
        this.state.update({"best": "current", "elo": {"current": 0.0, "n1": -9.0}, "nets": {"n1": {"plan": losing}}})
        self.assertEqual({**this.best_config(), **this.from_best()}["width"], 512)
        this.state.update({"best": "n1"})
        (this.work / "nets" / "n1.nuef").write_bytes(b"x")
        self.assertEqual(this.from_best()["width"], 256)

    def test_a_generation_has_a_scale_of_its_own(self) -> None:
        this = self.round()
        asked: list[str] = []
        told = {"000-current": "800", "s1": "700", "004-c1": "640", "005-c2": "9000", "006-c3": "none"}

        def run(words: list[str], log: str, seconds: float) -> tuple[int, str]:
            asked.append(Path(words[-1]).stem)
            return 0, f'{{"scale": {told[asked[-1]]}}}'

        this.run = run
        (this.carry / "s1.teacher").write_bytes(bytes(3000))
        # The first one is that of what was carried, and stays while the same net plays.
        self.assertEqual(this.fitted_scale(), 700.0)
        self.games(this, "000-current", size=200_000)
        this.fit_scale_again()
        self.assertEqual((this.fitted_scale(), asked), (700.0, ["s1"]))
        # Another net plays: nothing changes before enough of its games are there, and then at once.
        this.state["best"] = "c1"
        this.fit_scale_again()
        self.games(this, "003-c1", size=50_000)
        this.fit_scale_again()
        self.assertEqual((this.fitted_scale(), asked), (700.0, ["s1"]))
        self.games(this, "004-c1", size=200_000)
        self.games(this, "005-c1")
        self.assertEqual(this.fitted_scale(), 700.0, "nets that are compared have one scale")
        this.fit_scale_again()
        self.assertEqual((this.fitted_scale(), asked), (640.0, ["s1", "004-c1"]))
        this.fit_scale_again()
        self.assertEqual(asked, ["s1", "004-c1"])
        # Scales beyond belief are cut, those that are none change nothing.
        this.state["best"] = "c2"
        self.games(this, "005-c2", size=200_000)
        this.fit_scale_again()
        self.assertEqual(this.fitted_scale(), 2500.0)
        this.state["best"] = "c3"
        self.games(this, "006-c3", size=200_000)
        this.fit_scale_again()
        self.assertEqual(this.fitted_scale(), 2500.0)

    def test_each_call_begins_with_the_scale_of_the_best(self) -> None:
        this = self.round()
        this.state.update({"scale": 700.0, "best": "c1", "elo": {"c1": 9.0, "current": 0.0}})
        this.state["nets"]["c1"] = {"plan": {**this.plan("c1", {"data": []}, 60), "scale": 700.0}}
        self.games(this, "004-c1", size=200_000)
        this.start_playing = lambda: None
        this.run = lambda *_: (0, '{"scale": 640}')
        this.begin()
        # What the best was trained with stays, but not its scale.
        self.assertEqual(this.plan("x", {**this.best_config(), "data": []}, 60)["scale"], 640.0)

    def test_labels_by_a_teacher_alone(self) -> None:
        """Both calls, with all that takes long left out: which net learns from which games."""
        this = self.round("--calls", "2", "--labels", "1", "--passes", "10")
        this.state["scale"] = 800.0
        (this.carry / "old.teacher").write_bytes(bytes(3000))
        (this.carry / "current.nuef").write_bytes(b"x")
        told: list[Any] = []

        def teach(name: str, *_: object) -> bool:
            self.games(this, "000-current")
            (this.work / "nets" / f"{name}.value").write_bytes(b"x")
            return True

        def candidates(jobs: Any, reserve: float) -> None:
            told.extend(jobs)

        this.start_playing = lambda: None
        this.stop_playing = lambda: None
        this.control = lambda fast: self.games(this, *(["001-current-fast"] if fast else []))
        this.teach, this.candidates = teach, candidates
        this.teaching = lambda *_: [sys.executable, "-c", "", "nue_trainer"]
        this.gate = lambda *_: {}
        this.deadline = time.monotonic() + 1
        this.first_of_two()
        names = lambda files: [Path(file).stem for file in files]  # noqa: E731
        self.assertEqual(told, [], "no net before the teacher has seen everything")
        self.assertEqual(names(this.state["background"]["t2"]),
                         ["old", "000-current", "001-current-fast"])
        self.games(this, "002-v2-fast", "003-v2")
        this.last_of_two()
        (_, last, _), (_, control, _) = told
        # The same but for the results.
        self.assertEqual({key for key in last if last[key] != control.get(key)}, {"blend", "blend-end"})
        self.assertEqual((last["blend"], last["passes"], last["teacher-weight"]), (1.0, 10, 1.0))
        # Cheap games that the teacher has not learned from are judged by it alone.
        self.assertEqual(names(last["teacher-data"]), ["002-v2-fast"])
        self.assertEqual(last["data"], this.state["background"]["t2"])

    def test_three_calls(self) -> None:
        """All of them, with what takes long left out: who learns from which games, and from whom."""
        this = self.round("--passes", "3")
        this.state["scale"] = 600.0
        for name in ("old-1", "s1"):
            (this.carry / f"{name}.teacher").write_bytes(bytes(3000))
        (this.carry / "current.nuef").write_bytes(b"x")
        begun: list[tuple[str, str | None, list[str]]] = []
        told: list[Any] = []
        losses = {"p1": 0.59, "t2": 0.58, "t3": 0.585}

        def teach_on(name: str, _: float, init: str | None, __: float, files: list[str]) -> None:
            begun.append((name, init and Path(init).stem, [Path(file).stem for file in files]))

        def taught_by(name: str, _: float) -> Path:
            path: Path = this.work / "nets" / f"{name}.value"
            path.write_bytes(b"x")
            this.state.setdefault("teachers", {})[name] = {"teacher_result_loss": losses[name]}
            self.games(this, f"00{len(begun)}-current")
            return path

        this.start_playing = this.stop_playing = lambda: None
        this.is_playing = lambda: True
        this.control = lambda fast: self.games(this, *(["009-current-fast"] if fast else []))
        this.teach_on, this.taught_by = teach_on, taught_by
        this.candidates = lambda jobs, reserve: told.extend(jobs)
        this.gate = lambda *_: {}
        for call in (this.first_of_three, this.second_of_three, this.third_of_three):
            this.deadline = time.monotonic()
            call()
        self.assertEqual(begun, [
            ("p1", None, ["old-1", "s1"]),
            # It goes on without weaker games.
            ("t2", "p1", ["s1", "001-current"]),
            ("t3", "t2", ["s1", "001-current", "002-current"]),
        ])
        (_, first, _), (_, second, _) = told
        self.assertEqual({key for key in second if first.get(key) != second[key]}, {"teacher-weight"})
        self.assertIn("--settled", first["filters"])
        self.assertEqual((first["teacher-weight"], first["blend"], first["passes"]), (0.5, 1.0, 3))
        # The later teacher was the worse one.
        self.assertEqual(Path(first["teacher"]).stem, "t2")
        self.assertEqual([Path(file).stem for file in first["teacher-data"]], ["009-current-fast"])
        self.assertEqual([Path(file).stem for file in first["data"]],
                         ["s1", "001-current", "002-current", "003-current"])

    def test_a_known_teacher_waits_for_games(self) -> None:
        this = self.round()
        this.state["scale"] = 600.0
        for name in ("old-1.teacher", "s1.teacher", "teacher.value"):
            (this.carry / name).write_bytes(bytes(3000))
        begun: list[tuple[str, str, list[str]]] = []

        def teach_on(name: str, _: float, init: str, __: float, files: list[str]) -> None:
            begun.append((name, Path(init).stem, [Path(file).stem for file in files]))

        def no_candidates(*_: object) -> None:
            raise AssertionError("the teacher has learned nothing yet")

        self.games(this, "000-current")
        this.start_playing = lambda: None
        this.control = lambda fast: self.fail("strong games are wanted")
        this.teach_on, this.candidates = teach_on, no_candidates
        this.deadline = time.monotonic()
        this.first_of_three()
        self.assertEqual(begun, [("t2", "teacher", ["s1", "000-current"])])

    def test_three_calls_with_a_known_teacher(self) -> None:
        this = self.round("--beside", "2")
        this.state["scale"] = 600.0
        (this.carry / "s1.teacher").write_bytes(bytes(3 * this.size(ROUND.TEACHES_FROM)))
        (this.carry / "teacher.value").write_bytes(b"x")
        begun: list[tuple[str, str]] = []
        told: list[Any] = []

        def teach_on(name: str, _: float, init: str, __: float, files: list[str]) -> None:
            begun.append((name, Path(init).stem))

        def taught_by(name: str, _: float) -> Path:
            path: Path = this.work / "nets" / f"{name}.value"
            path.write_bytes(b"x")
            return path

        def candidates(jobs: Any, reserve: float) -> None:
            told.extend(jobs)
            if jobs[0][0] == "b1":
                # The second one wins.
                this.state["best"] = "b2"
                this.state["elo"].update(b1=10.0, b2=10.0 if wins else 9.0)
                this.state["nets"]["b2"] = {"plan": {"width": 256}}
                (this.work / "nets" / "b2.nuef").write_bytes(b"x")

        fast: list[bool] = []
        this.start_playing = this.stop_playing = lambda: None
        this.control = lambda **what: fast.append(what["fast"])
        this.teach_on, this.taught_by, this.candidates = teach_on, taught_by, candidates
        this.gate = lambda *_: {}
        for wins in (True, False):
            for call in (this.first_of_three, this.second_of_three, this.third_of_three):
                this.deadline = time.monotonic()
                call()
            self.assertEqual(begun, [("t1", "teacher"), ("t2", "t1"), ("t3", "t2")])
            plans = {name: plan for name, plan, _ in told}
            one, other = plans["b1"], plans["b2"]
            self.assertEqual({key for key in other if one.get(key) != other[key]}, {"beside"})
            self.assertEqual([Path(plans[name]["teacher"]).stem for name in ("b1", "c1")], ["t1", "t3"])
            # The last ones go on from the winner, and see positions beside the games if those won: else cheap ones.
            self.assertEqual(plans["c1"]["beside"], 2 if wins else 0)
            self.assertEqual(Path(plans["c1"]["init"]).stem, "b2")
            self.assertEqual(any(fast), not wins)
            for kept in (begun, told, fast):
                kept.clear()
            for path in (this.work / "nets").iterdir():
                path.unlink()
            this.state.update(best="current", nets={}, elo={"current": 0.0})
        # More positions, more time to read and to judge them.
        without = {**plans["c1"], "beside": 0}
        both = [this.plan("x", plan, 100)["positions"] for plan in (without, {**without, "beside": 2})]
        self.assertAlmostEqual(both[1] / both[0], 4, places=3)

    def test_three_calls_that_distil(self) -> None:
        self.assertRaises(SystemExit, self.round, "--distil")
        carry = self.folder / "carry"
        carry.mkdir(exist_ok=True)
        (carry / "teacher.value").write_bytes(b"x")
        self.assertRaises(SystemExit, self.round, "--distil", "--calls", "2")
        this = self.round("--distil")
        this.state["scale"] = 600.0
        (this.carry / "s1.teacher").write_bytes(bytes(3000))
        self.games(this, "000-current-fast")
        told: list[Any] = []

        def candidates(jobs: Any, reserve: float) -> None:
            told.extend(jobs)
            # The second one wins each time.
            best = jobs[1][0]
            this.state["best"] = best
            this.state["nets"][best] = {"plan": {"width": 512, **jobs[1][1]}}
            (this.work / "nets" / f"{best}.nuef").write_bytes(b"x")

        def no_teaching(*_: object) -> None:
            raise AssertionError("the teacher learns no more")

        this.start_playing = this.stop_playing = lambda: None
        fast: list[bool] = []
        this.control = lambda **what: fast.append(what["fast"])
        this.teach_on = this.taught_by = no_teaching
        this.candidates = candidates
        this.gate = lambda *_: {}
        for call in (this.first_of_three, this.second_of_three, this.third_of_three):
            this.deadline = time.monotonic()
            call()
        self.assertEqual(fast, [True] * 3)
        self.assertEqual([name for name, _, _ in told], ["a1", "a2", "b1", "b2", "c1", "c2"])
        plans = {name: plan for name, plan, _ in told}
        for letter, differs in (("a", {"teacher-weight"}), ("b", {"beside"}), ("c", {"lr"})):
            one, other = plans[f"{letter}1"], plans[f"{letter}2"]
            self.assertEqual({key for key in other if one.get(key) != other[key]}, differs)
        # What won stays.
        self.assertEqual((plans["b1"]["teacher-weight"], Path(plans["b1"]["init"]).stem), (1.0, "a2"))
        self.assertEqual((plans["c1"]["beside"], plans["c1"]["filters"]), (1, ROUND.SETTLED))
        self.assertEqual([Path(file).stem for file in plans["c1"]["teacher-data"]], ["000-current-fast"])

    def test_nets_are_measured_by_stronger_games(self) -> None:
        this = self.round()
        said = {"told": "all               63,208   one.bin 0.6135 at 492, 64.1 %\n"}
        this.run = lambda words, log, seconds: (0, said["told"])
        this.measure_net("c1")
        self.assertNotIn("yardstick", this.state)
        (this.carry / "yardstick.psv").write_bytes(b"x")
        this.measure_net("c1")
        said["told"] = "result-loss: no such file"
        this.measure_net("c2")
        self.assertEqual(this.state["yardstick"], {"c1": 0.6135})

    def test_some_games_begin_late_in_earlier_ones(self) -> None:
        this = self.round()
        usual = [this.beginnings(number, False) for number in range(8)]
        self.assertFalse(any("late=" in word for words in usual for word in words))
        (this.carry / "small.teacher").write_bytes(bytes(3000))
        (this.carry / "large.teacher").write_bytes(bytes(200_000))
        for fast, wanted in ((False, [1, 5]), (True, [1, 3, 5, 7])):
            words = [" ".join(this.beginnings(number, fast)) for number in range(8)]
            late = [number for number in range(8) if "late=" in words[number]]
            self.assertEqual(late, wanted)
            self.assertTrue(words[1].endswith("--start late=" + str(this.carry / "large.teacher")))
            self.assertNotIn("even", words[1])
            # The others have kings that entered in earlier games instead of pieces at random.
            entering = f"--start entering={this.carry / 'large.teacher'}:2"
            self.assertIn("--start entering:2", " ".join(usual[0]))
            self.assertEqual(words[0], " ".join(usual[0]).replace("--start entering:2", entering))
            # No game could begin in this file: it is left alone.
            useless = {str(this.carry / "large.teacher")}
            self.assertEqual(this.beginnings(0, fast, useless), this.beginnings(0, fast, {*useless, "other"}))
            self.assertEqual(" ".join(this.beginnings(0, fast, useless)), " ".join(usual[0]))
        small = self.round("--game", "minishogi")
        self.assertNotIn("late=", " ".join(small.beginnings(1, True)))
        self.assertNotIn("entering", " ".join(small.beginnings(0, True)))

    def test_earlier_games_in_which_nothing_can_begin_do_not_end_self_play(self) -> None:
        # As `nue gen` does where no king of the file enters.
        player = self.program("""echo "$@" >>"$0.said"
case "$*" in *entering=*) echo "no king enters" >&2; exit 1 ;; esac
while [ $# -gt 0 ]; do case "$1" in --out) out=$2 ;; esac; shift; done
head -c 3000 /dev/zero >"$out"
""")
        this = self.round("--nue", player)
        (this.carry / "large.teacher").write_bytes(bytes(200_000))
        this.control(stop=False, pause=False, net="one.bin", tag="current", fast=False)
        playing = threading.Thread(target=this.play)
        playing.start()
        try:
            self.wait(lambda: len(this.games()) >= 6)
        finally:
            this.control(stop=True)
            playing.join(20)
        self.assertFalse(playing.is_alive())
        said = (self.folder / "nue.said").read_text().splitlines()
        self.assertEqual([number for number, line in enumerate(said) if "entering=" in line], [0])

    def test_a_carried_teacher_is_begun_from(self) -> None:
        this = self.round()
        carried = self.folder / "teacher.value"
        carried.write_bytes(b"a net")
        named = Path(this.beginning(carried))
        self.assertEqual((named.suffix, named.read_bytes()), (".nuedf", b"a net"))
        kept = self.folder / "teacher.value.checkpoint"
        kept.write_bytes(b"all of it")
        self.assertEqual(this.beginning(carried), str(kept))

    def test_a_teacher_goes_on_as_what_it_is(self) -> None:
        this = self.round()
        values, moves = self.folder / "v.value", self.folder / "p.value"
        values.write_bytes(b"NueValue and more")
        moves.write_bytes(b"another")
        self.assertFalse(this.learns_moves("v1", None))
        self.assertTrue(this.learns_moves("p1", None))
        self.assertFalse(this.learns_moves("t2", str(values)))
        self.assertTrue(this.learns_moves("t2", str(moves)))
        self.assertTrue(self.round("--game", "minishogi").learns_moves("t1", None))

    def test_one_match_at_a_time(self) -> None:
        this = self.round()
        running, most = 0, 0

        def match(*_: object) -> dict[str, Any]:
            nonlocal running, most
            running += 1
            most = max(most, running)
            time.sleep(0.05)
            running -= 1
            return {}

        this.match = match
        threads = [threading.Thread(target=this.gate, args=("x", "a", "b", "nodes=1", 2, 0))
                   for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(most, 1)

    def test_the_background_plays_what_it_is_told(self) -> None:
        player = self.folder / "nue"
        player.write_text(PLAYER)
        player.chmod(0o755)
        this = self.round("--nue", str(player), "--nodes", "800", "--fast-nodes", "100")
        this.control(stop=False, pause=False, net="one.bin", tag="current", fast=False)
        playing = threading.Thread(target=this.play)
        playing.start()
        try:
            self.wait(lambda: (this.work / "games" / "000-current.part").exists())
            this.control(fast=True)
            self.wait(lambda: (this.work / "games" / "001-current-fast.part").exists())
            self.assertEqual([p.stem for p in this.games()], ["000-current"])
            this.control(fast=False, net="two.bin", tag="v1")
            self.wait(lambda: (this.work / "games" / "002-v1.part").exists())
            self.assertEqual([p.stem for p in this.fast_games()], ["001-current-fast"])
        finally:
            this.control(stop=True)
            playing.join(20)
        self.assertFalse(playing.is_alive())
        self.assertEqual([p.stem for p in this.games()], ["000-current", "002-v1"])

    def test_a_teacher_of_the_background_is_waited_for(self) -> None:
        this = self.round()
        self.assertIsNone(this.taught_by("t2", 0.0))
        value = this.work / "nets" / "t2.value"

        def trained(*_: object) -> list[str]:
            code = f"import time; time.sleep(0.5); open({str(value)!r}, 'w').close(); print('{{\"positions\": 7}}')"
            return [sys.executable, "-c", code, "nue_trainer"]

        this.teaching = trained
        this.teach_on("t2", 1.0, "t1.value", 0.8)
        self.assertEqual(this.taught_by("t2", 0.0), value)
        self.assertEqual(this.state["teachers"]["t2"], {"positions": 7})
        self.assertEqual(json.loads(this.file.read_text())["background"], {"t2": []})
        # What is known of it besides stays when a call is made again.
        this.state["teachers"]["t2"]["teacher_result_loss"] = 0.6
        self.assertEqual(this.taught_by("t2", 0.0), value)
        self.assertEqual(this.state["teachers"]["t2"], {"positions": 7, "teacher_result_loss": 0.6})
        # A call that is made again does not begin it again.
        this.teaching = lambda *_: self.fail("it was begun before")
        this.teach_on("t2", 1.0, "t1.value", 0.8)

    def test_a_trainer_is_known_from_its_first_moment_to_its_last(self) -> None:
        def process(state: str, words: bytes) -> bool:
            folder = self.folder / "processes" / "7"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "stat").write_text(f"7 (a name) of two) {state} 1 7 7")
            (folder / "cmdline").write_bytes(words)
            return ROUND.is_training(7, folder.parent)

        self.assertTrue(process("S", b"python3\0-m\0nue_trainer\0"))
        self.assertTrue(process("R", b""), "it is being started")
        self.assertFalse(process("Z", b""), "it has ended and nobody asked how")
        self.assertFalse(process("S", b"python3\0-m\0another\0"), "the number is somebody else's now")
        self.assertFalse(ROUND.is_training(8, self.folder / "processes"))

    def test_a_teacher_that_is_late_is_ended(self) -> None:
        this = self.round()
        this.teaching = lambda *_: [sys.executable, "-c", "import time; time.sleep(60)", "nue_trainer"]
        this.teach_on("t2", 1.0, "t1.value", 0.8)
        pid = int((this.work / "teach-t2.pid").read_text())
        self.assertIsNone(this.taught_by("t2", this.left() - 0.3))
        self.wait(lambda: not self.runs(pid))

    @staticmethod
    def runs(pid: int) -> bool:
        try:
            return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
        except OSError:
            return False

    def wait(self, until: Any) -> None:
        end = time.monotonic() + 20
        while not until():
            self.assertLess(time.monotonic(), end, "waited for 20 s")
            time.sleep(0.02)


if __name__ == "__main__":
    unittest.main()
