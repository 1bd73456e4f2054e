"""Compares packed planes and labels with cshogi's."""

import sys

import numpy as np
from cshogi import Board, move_to_usi
from cshogi.dlshogi import (
    FEATURES1_NUM,
    FEATURES2_NUM,
    make_input_features,
    make_move_label,
)

compared = 0
for line in sys.stdin:
    sfen, packed, *labels = line.rstrip("\n").split("\t")
    board = Board(sfen)
    first = np.empty((FEATURES1_NUM, 9, 9), dtype=np.float32)
    second = np.empty((FEATURES2_NUM, 9, 9), dtype=np.float32)
    make_input_features(board, first, second)
    raw = np.frombuffer(bytes.fromhex(packed), dtype=np.uint8)
    bits = np.unpackbits(raw, bitorder="little")
    boards = bits[: 62 * 81].reshape(62, 9, 9)
    constants = bits[62 * 81 : 62 * 81 + 57]
    if not np.array_equal(boards, first):
        wrong = np.argwhere(boards != first)[0]
        sys.exit(f"{sfen}: plane, file, rank {wrong} is {first[tuple(wrong)]}")
    if not np.array_equal(np.broadcast_to(constants[:, None, None], (57, 9, 9)), second[:57]):
        wrong = np.argwhere(constants != second[:57, 0, 0])[0]
        sys.exit(f"{sfen}: constant plane {wrong}")
    ours = dict(text.split("=") for text in labels)
    for move in board.legal_moves:
        usi = move_to_usi(move)
        # cshogi leaves out moves without promotion that are never better.
        if int(ours[usi]) != make_move_label(move, board.turn):
            sys.exit(f"{sfen}: {usi} is {make_move_label(move, board.turn)}, not {ours[usi]}")
    compared += 1
print(compared)
