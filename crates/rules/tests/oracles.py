"""Reads `game<TAB>sfen<TAB>moves` lines and compares the moves with another generator's.

The generator is named by the first argument.
"""

import sys


def cshogi_moves():
    import cshogi

    board = cshogi.Board()

    def moves(game, sfen, ours):
        if game != "shogi":
            return None
        board.set_sfen(sfen)
        return {cshogi.move_to_usi(m) for m in board.legal_moves}

    return moves


def pyffish_moves():
    import pyffish

    def expand(hands):
        out, count = "", ""
        for c in hands:
            if c.isdigit():
                count += c
            else:
                out += c * int(count or 1)
                count = ""
        return out

    def usi(move, size):
        def square(s):
            return f"{size - (ord(s[0]) - ord('a'))}{chr(ord('a') + size - int(s[1]))}"

        if "@" in move:
            return f"{move[0]}*{square(move[2:4])}"
        return square(move[0:2]) + square(move[2:4]) + move[4:]

    def moves(game, sfen, ours):
        board, turn, hands, _ = sfen.split()
        size = board.count("/") + 1
        # There the first player is called White.
        fen = f"{board}[{expand(hands)}] {'w' if turn == 'b' else 'b'} 0 1"
        found = {usi(m, size): m for m in pyffish.legal_moves(game, fen, [])}
        # It lists mates by a dropped pawn as moves and counts them as lost afterwards.
        for move in [m for m in found if m.startswith("P*") and m not in ours]:
            if not pyffish.legal_moves(game, fen, [found[move]]):
                del found[move]
        return set(found)

    return moves


def main():
    oracle = {"cshogi": cshogi_moves, "pyffish": pyffish_moves}[sys.argv[1]]()
    compared = 0
    for line in sys.stdin:
        game, sfen, ours = line.rstrip("\n").split("\t")
        ours = set(ours.split())
        theirs = oracle(game, sfen, ours)
        if theirs is None:
            continue
        compared += 1
        if ours != theirs:
            print(f"{game} {sfen}: only ours {ours - theirs}, only theirs {theirs - ours}")
            sys.exit(1)
    print(compared)


main()
