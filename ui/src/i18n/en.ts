// English, and with it the list of all keys.

export const en = {
  'nav.label': 'Screens', 'nav.play': 'Play', 'nav.analyse': 'Analyse', 'nav.watch': 'Watch',
  loading: 'Loading…', close: 'Close', again: 'Try again', cancel: 'Cancel', on: 'On', off: 'Off', flip: 'Flip the board', check: 'check', seconds: 's',
  'link.lost': 'Connection lost. Reconnecting; your games are safe.',

  'side.black': 'Black', 'side.white': 'White', 'side.receiver': 'Black', 'side.giver': 'White',
  'piece.P': 'pawn', 'piece.L': 'lance', 'piece.N': 'knight', 'piece.S': 'silver', 'piece.G': 'gold', 'piece.B': 'bishop', 'piece.R': 'rook', 'piece.K': 'king',
  'piece.+P': 'promoted pawn', 'piece.+L': 'promoted lance', 'piece.+N': 'promoted knight', 'piece.+S': 'promoted silver', 'piece.+B': 'horse', 'piece.+R': 'dragon',
  'square.piece': '{side} {piece}', 'square.empty': 'empty',
  'position.side': '{side}: {pieces}; in hand: {hand}.', 'position.nothing': 'nothing', 'position.turn': '{side} to move.',

  'board.label': 'Board', 'board.keys': 'Arrow keys move over the squares, Enter picks a piece up and puts it down, the letters P L N S G B R pick a piece in hand, Escape cancels. Moves can also be typed into the box beside the board.',
  'cursor.taken': '{what} selected, squares to move to: {count}', 'cursor.dropped': 'selection cleared', 'cursor.cannot': '{what}: cannot move there', 'cursor.hand': '{piece} in hand selected, {count} held', 'cursor.nohand': 'no {piece} in hand',
  'promotion.title': 'Promote on {square}?', 'promotion.yes': 'Promote ({piece})', 'promotion.no': 'Do not promote ({piece})',
  'entry.label': 'Type a move', 'entry.placeholder': 'Type a move: 7g7f, P-7f, 7六歩', 'entry.none': '“{text}” is not a legal move here.', 'entry.several': 'Which one? {moves}',

  'illegal.nopiece': 'There is no piece on {square}.', 'illegal.notyours': 'The {piece} on {square} is not yours.', 'illegal.cannotgo': 'A {piece} does not move like that.', 'illegal.own': 'Your own piece stands on {square}.', 'illegal.blocked': 'The piece on {square} is in the way.',
  'illegal.staysincheck': 'You are in check, and this move does not stop it.', 'illegal.exposes': 'This piece shields your king: moving it would leave the king in check.', 'illegal.intocheck': 'The king would be taken on {square}.',
  'illegal.nohand': 'You have no {piece} in hand.', 'illegal.occupied': 'There is a piece on {square}; pieces are dropped on empty squares.', 'illegal.twopawns': 'Two pawns on one file (nifu): this file already has a pawn of yours.', 'illegal.deadend': 'A {piece} on {square} could never move again.', 'illegal.dropmate': 'A pawn may not be dropped to give checkmate (uchifuzume).',
  'illegal.nopromotion': 'This piece cannot promote.', 'illegal.notincamp': 'Pieces promote when they enter, leave or move within the far camp.', 'illegal.mustpromote': 'The {piece} has to promote on {square}: it could never move again.', 'illegal.rule': 'The rules do not allow this move.',
  'fault.toomany': 'Too many pieces: {piece}, the game has {n}.', 'fault.kings': '{side} has {n} kings.', 'fault.noking': '{side} has no king.', 'fault.twopawns': '{side} has two pawns on file {n}.', 'fault.deadend': 'The {piece} on {square} could never move.', 'fault.check': '{side} is in check, but the other side is to move.',

  'settings.title': 'Settings', 'settings.language': 'Language', 'settings.theme': 'Colours', 'settings.pieces': 'Pieces', 'settings.coordinates': 'Coordinates', 'settings.animation': 'Animate moves', 'settings.volume': 'Sounds', 'settings.notices': 'Licences',
  'theme.auto': 'Same as system', 'theme.light': 'Light', 'theme.dark': 'Dark',
  'pieces.kanji': 'Two kanji', 'pieces.single': 'One kanji', 'pieces.western': 'Letters',
  'coordinates.japanese': '7六', 'coordinates.western': '7f', 'coordinates.none': 'None',

  'new.game': 'Game', 'new.opponent': 'Opponent', 'new.nue': 'Nue', 'new.engine': 'Another engine', 'new.human': 'Another person', 'new.level': 'Strength', 'new.movetime': 'Time per move',
  'new.humantext': 'Two people share this board.', 'new.handicap': 'Handicap', 'new.side': 'You play', 'new.random': 'Random', 'new.clock': 'Clock', 'new.start': 'Play',
  'new.handicaptext': 'White gives the handicap and moves first; Black receives it.',
  'new.rules': 'Rules', 'new.declaration': 'Entering king', 'new.limit': 'Draw after moves (1–{n})',
  'declaration.auto': 'As usual for the game', 'declaration.CSARule27': '27 points (28 for Black)', 'declaration.CSARule27H': '27 points, handicap counted', 'declaration.CSARule24': '24 points: 31 to win', 'declaration.CSARule24H': '24 points, handicap counted', 'declaration.TryRule': 'Try: the king on the far king’s square', 'declaration.NoEnteringKing': 'No declaration',
  'clock.none': 'No clock', 'clock.blitz': '10 seconds per move', 'clock.rapid': '5 minutes, then 15 seconds per move', 'clock.classic': '10 minutes, then 30 seconds per move', 'clock.long': '30 minutes, then 60 seconds per move', 'clock.fischer': '5 minutes + 5 seconds per move (Fischer)', 'clock.own': 'Custom…',
  'clock.main': 'Minutes', 'clock.byoyomi': 'Byoyomi', 'clock.increment': 'Increment (s)', 'clock.label': 'Time left',

  'play.welcome': 'Play shogi against Nue', 'play.missing': 'This game was not found.', 'play.yours': 'Your games', 'play.ownstart': 'custom position', 'play.goeson': 'in progress', 'play.forget': 'Delete this game', 'play.deleted': 'Game deleted.', 'play.plies': '{n} {n|move|moves}',
  'play.you': 'You', 'play.nomoves': 'No moves yet.', 'play.moves': 'Moves', 'play.turn': '{side} to move.', 'play.queued': 'Waiting for a free engine…', 'play.thinking': 'Nue is thinking…',
  'play.yourturn': 'Your move.', 'play.yourturncheck': 'Check! Your move.', 'play.hint': 'Hint', 'play.asking': 'Thinking…', 'play.hintis': 'Try {move}', 'play.takeback': 'Take back', 'play.takenback': 'Taken back',
  'play.resign': 'Resign', 'play.sure': 'Resign this game?', 'play.declare': 'Declare the win', 'play.declaration': 'Entering king: {points} of {needed} points, {pieces} pieces in the camp.',
  'play.again': 'Play again', 'play.analyse': 'Analyse', 'play.new': 'New game', 'play.save': 'Save',
  'step.first': 'To the start', 'step.back': 'One move back', 'step.forward': 'One move forward', 'step.last': 'To the end',

  'ending.mate': 'Checkmate.', 'ending.repetition': 'The same position for the fourth time.', 'ending.perpetual_check': 'Perpetual check.', 'ending.declaration': 'Win declared with the king in the camp.', 'ending.move_limit': 'The move limit was reached.',
  'ending.time': 'Out of time.', 'ending.resign': 'Resigned.', 'ending.engine_failed': 'The opponent’s engine failed.', 'ending.interrupted': 'Interrupted.', 'ending.impasse': 'Impasse.', 'ending.draw': 'Draw agreed.',
  'ending.illegal_move': 'Illegal move.', 'ending.illegal_action': 'Illegal action by the opponent.', 'ending.no_mate': 'No mate.', 'ending.taken_back': 'Taken back.', 'ending.error': 'Error.', 'ending.default_win': 'Won by default.',
  'ending.default_loss': 'Lost by default.', 'ending.sealed': 'Sealed move.', 'ending.abandoned': 'Abandoned.', 'ending.won': 'Won.', 'ending.other': 'Ended.', 'ending.crash': 'The engine crashed.', 'ending.stall': 'The engine hung.', 'ending.protocol': 'The engine broke the protocol.', 'ending.adjudicated_win': 'Adjudicated.', 'ending.adjudicated_draw': 'Adjudicated a draw.',
  'result.draw': 'A draw.', 'result.youwin': 'You win!', 'result.youlose': 'You lose.', 'result.wins': '{side} wins.',

  'score.mate': 'mate', 'score.matein': 'mate {n}',
  'tool.open': 'Open', 'tool.edit': 'Edit', 'tool.export': 'Export', 'tool.mate': 'Find mate', 'analyse.end': 'End of the game',
  'engine.label': 'Engine', 'engine.start': 'Start', 'engine.stop': 'Stop', 'engine.which': 'Engine', 'engine.compare': 'Compare', 'engine.lines': 'Lines', 'engine.threads': 'Threads', 'engine.starting': 'Starting…', 'engine.queued': 'Waiting, {n} ahead…',
  'engine.failed': 'The engine failed.', 'engine.depth': 'depth {depth}/{seldepth}', 'engine.speed': '{nodes} nodes, {nps}/s', 'engine.done': 'done',
  'bar.label': '{side} wins {rate} ({score})', 'bar.none': 'No evaluation yet',
  'tree.label': 'Moves', 'tree.start': 'Start', 'tree.comment': 'Comment on this position', 'tree.promote': 'Make this the main line', 'tree.remove': 'Remove from here on',
  'graph.label': '{side}’s chance after each move',
  'review.title': 'Game review', 'review.start': 'Review', 'review.again': 'Review again', 'review.by': 'By {engine} ({effort})', 'review.stop': 'Stop', 'review.effort': 'Thoroughness', 'effort.quick': 'Quick', 'effort.normal': 'Normal', 'effort.deep': 'Deep',
  'review.finished': 'Review finished: {n} {n|move|moves} to look at.', 'review.clean': 'No mistakes found.', 'review.better': 'Better: {line}', 'review.side': 'Side', 'review.loss': 'Loss per move',
  'grade.inaccuracy': 'inaccuracy', 'grade.mistake': 'mistake', 'grade.blunder': 'blunder',
  'mate.title': 'Mate', 'mate.found': 'Mate in {n}', 'mate.none': 'There is no mate here.', 'mate.unknown': 'No mate found in the time given.', 'mate.searching': 'Looking for mate… {nodes} positions', 'mate.playout': 'Play it out',
  'open.title': 'Open a game', 'open.paste': 'KIF, KI2, CSA, JKF, USI or SFEN: paste it here, or drop a file', 'open.read': 'Open', 'open.file': 'Choose a file…', 'open.start': 'Start position', 'open.which': 'Which game?', 'open.leftout': '{n} more {n|game was|games were} left out.', 'open.problems': '{n} {n|place|places} could not be read: {first}',
  'export.title': 'Save the game', 'export.format': 'Format', 'export.encoding': 'Encoding', 'export.text': 'The file', 'export.losses': 'This format cannot hold: {what}', 'export.save': 'Save as file', 'export.copy': 'Copy', 'export.copied': 'Copied.', 'export.nocopy': 'The browser does not allow copying.', 'export.sfen': 'Copy this position (SFEN)',
  'open.drop': 'Drop the file to open it', 'headers.title': 'Game details', 'file.game': 'game', 'share.position': 'Copy a link to this position', 'share.game': 'Copy a link to the game', 'share.broken': 'This link holds no position and no game.',
  'help.title': 'Keyboard shortcuts', 'help.everywhere': 'Everywhere', 'help.help': 'This sheet', 'help.step': 'One move back or forward', 'help.ends': 'To the start or the end', 'help.paste': 'Open the record in the clipboard', 'help.aside': 'To the next variation', 'help.engine': 'Start or stop the engine',
  'help.cursor': 'Move over the squares', 'help.take': 'Pick up, put down', 'help.hand': 'Pick a piece in hand', 'help.letgo': 'Let go', 'help.mouse': 'The mouse wheel over the board steps through the game. Files can be dropped anywhere on the page.', 'help.letters': 'Single-letter shortcuts',
  'editor.undo': 'Undo', 'editor.rest': 'Rest to the defender', 'editor.turnpiece': 'Promote or turn pieces', 'editor.more': '{piece}: {n} in hand; add one', 'editor.fewer': '{piece}: one fewer', 'editor.title': 'Set up a position', 'editor.pieces': 'Pieces to place', 'editor.move': 'Move pieces', 'editor.erase': 'Remove pieces', 'editor.hand': '{side}’s hand', 'editor.turn': 'To move', 'editor.preset': 'Start from', 'editor.analyse': 'Analyse', 'editor.play': 'Play from here', 'editor.empty': 'Empty board',
  'editor.text': 'Drag pieces from the palette or on the board, off the board to remove them; or choose one and click squares. A right click promotes and turns a piece. A click on a piece in hand adds one, a right click takes one away.',

  'toast.label': 'Message', undo: 'Undo', redo: 'Redo', 'pager.label': 'Pages', 'pager.before': 'Previous page', 'pager.after': 'Next page', 'pager.shown': '{from}–{to} of {total}',
  'bin.games': 'Deleted games', 'bin.look': 'Deleted ({n})', 'bin.leave': 'Back to the list', 'bin.restore': 'Restore', 'bin.text': 'What is deleted is kept for 30 days.', 'bin.forgood': 'Delete for good', 'bin.sure': 'Delete “{name}” for good? This cannot be undone.',
  'undone': 'Undone.', 'redone': 'Done again.', 'tree.removed': '{n} {n|move|moves} removed.',
  'study.untitled': 'Untitled study', 'study.copyof': '{name} (copy)', 'study.details': 'Name, folder, tags', 'study.name': 'Name', 'study.folder': 'Folder (parts with /)', 'study.tags': 'Tags (separated by commas)', 'study.save': 'Save', 'study.copied': 'This study was changed in another window; yours goes on as a copy.', 'study.deleted': '“{name}” deleted.', 'study.delete': 'Delete this study',
  'saving.none': 'not saved yet', 'saving.saved': 'saved', 'saving.waiting': 'saving…', 'saving.saving': 'saving…', 'saving.failed': 'not saved: trying again',
  'studies.title': 'Studies', 'studies.new': 'New study', 'studies.search': 'Search names, players, comments', 'studies.allfolders': 'All folders', 'studies.folder': 'Folder', 'studies.tag': 'Tag', 'studies.alltags': 'All tags', 'studies.none': 'No studies yet. Whatever you open or play through in the analysis is kept here.', 'studies.nothing': 'Nothing found.', 'studies.found': '{n} found', 'studies.rename': 'Rename folder', 'studies.folderto': 'New name (empty: no folder)', 'studies.moves': '{plies} {plies|move|moves}, {moves} with variations', 'studies.bin': 'Deleted studies',

  'watch.server': 'Server', 'watch.match': 'Matches', 'watch.learn': 'Learning', 'watch.fleet': 'Fleet', 'watch.none.server': 'No server is being watched. Name its data file when starting the board:', 'watch.none.match': 'No matches are being watched. Name a match’s files when starting the board:', 'watch.none.learn': 'No learning is being watched. Name its folder when starting the board:',
  'watch.live': 'live', 'watch.fromfile': 'from a file', 'watch.running': '{n} {n|game|games} running', 'watch.connections': '{n} {n|connection|connections}', 'watch.games': 'Games', 'watch.standings': 'Standings', 'watch.round': 'round {n}', 'watch.ratings': 'Ratings', 'watch.rating': 'Rating', 'watch.records': 'Records',
  'watch.name': 'Name', 'watch.points': 'Points', 'watch.solkoff': 'Solkoff', 'watch.berger': 'Berger', 'watch.moves': 'Moves', 'watch.end': 'End', 'watch.ended': 'When', 'watch.quiet': 'Nothing here yet.',
  'watch.pairing': 'Pairing', 'watch.los': 'Likely stronger', 'watch.curve': 'Score over the match', 'watch.game': 'Game', 'watch.score': 'score', 'watch.ngames': '{n} {n|game|games}', 'watch.ofgames': '{n} of {planned} games',
  'live.title': 'Live games', 'live.all': 'All games on one screen', 'live.boards': 'Games being played: {n}', 'live.big': 'Big screen', 'live.leave': 'Back', 'live.none': 'No game is being played now.', 'live.over': 'The game is over.', 'live.used': 'Time used', 'live.opinion': 'What the engines think', 'live.depth': 'depth {n}', 'live.bar': '{side} wins {rate}, the engines say', 'live.engineon': 'Let Nue look on', 'live.engineoff': 'Nue need not look on',
  'learn.generation': 'Generation', 'learn.elo': 'Elo over the first generation', 'learn.epoch': 'Epoch', 'learn.train': 'training', 'learn.validation': 'validation', 'learn.losses': 'Losses of generation {n}', 'learn.loss': 'Loss', 'learn.current': 'generation {n} in progress', 'learn.verdict': 'Verdict', 'learn.accepted': 'accepted', 'learn.refused': 'rejected', 'learn.positions': 'Positions', 'learn.time': 'Time',
  'learn.step.gen': 'self-play', 'learn.step.train': 'training', 'learn.step.gate': 'gate', 'learn.step.data': 'data',

  'error.network': 'The server cannot be reached.', 'error.internal': 'Something went wrong. Please try again.', 'error.bad_request': 'The server did not understand the request.', 'error.bad_position': 'This position is not possible.', 'error.illegal_move': 'This move is not legal.', 'error.not_your_turn': 'It is not your turn.', 'error.game_over': 'The game is over.', 'error.not_found': 'Not found: it was deleted, or belongs to another browser.', 'error.not_allowed': 'Not allowed now.',
  'error.too_large': 'Too large: files may have up to {bytes}, games up to 1000 moves.', 'error.too_many': 'Too many: up to {games} games and {studies} studies are kept and {analyses} analyses run at once. Delete or close something first.', 'error.too_fast': 'Too many requests. Wait a moment.', 'error.forbidden': 'The server refused this page.', 'error.token_required': 'Open the address with the token that the server printed.', 'error.unreadable': 'No game could be read in this text.', 'error.unwritable': 'This game cannot be written in that format.', 'error.engine_failed': 'The engine failed.', 'error.changed_elsewhere': 'It was changed in another window.', 'error.unavailable': 'Not available now.',
} as const;

export type Key = keyof typeof en;
