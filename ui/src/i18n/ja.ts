// Japanese. The type makes sure that no key is missing.

import type { Key } from './en';

export const ja: Record<Key, string> = {
  'nav.label': '画面', 'nav.play': '対局', 'nav.analyse': '検討', 'nav.watch': '観戦',
  loading: '読み込み中…', close: '閉じる', again: 'やり直す', cancel: 'やめる', on: 'あり', off: 'なし', flip: '盤面を反転', check: '王手', seconds: '秒',
  'link.lost': '接続が切れました。再接続しています。対局は失われません。',

  'side.black': '先手', 'side.white': '後手', 'side.receiver': '下手', 'side.giver': '上手',
  'piece.P': '歩', 'piece.L': '香', 'piece.N': '桂', 'piece.S': '銀', 'piece.G': '金', 'piece.B': '角', 'piece.R': '飛', 'piece.K': '玉',
  'piece.+P': 'と金', 'piece.+L': '成香', 'piece.+N': '成桂', 'piece.+S': '成銀', 'piece.+B': '馬', 'piece.+R': '龍',
  'square.piece': '{side}の{piece}', 'square.empty': '空き',
  'position.side': '{side}：{pieces}。持駒：{hand}。', 'position.nothing': 'なし', 'position.turn': '手番は{side}。',

  'board.label': '将棋盤', 'board.keys': '矢印キーでマスを移動、Enterで駒を取り上げて置く、P L N S G B R で持駒を選ぶ、Escで取り消し。盤の横の欄に指し手を入力することもできます。',
  'cursor.taken': '{what}を選択、行き先{count}マス', 'cursor.dropped': '選択解除', 'cursor.cannot': '{what}：そこへは動けません', 'cursor.hand': '持駒の{piece}を選択、{count}枚', 'cursor.nohand': '持駒に{piece}はありません',
  'promotion.title': '{square}で成りますか', 'promotion.yes': '成る（{piece}）', 'promotion.no': '成らない（{piece}）',
  'entry.label': '指し手を入力', 'entry.placeholder': '指し手を入力：7六歩、7g7f、P-7f', 'entry.none': '「{text}」は指せません。', 'entry.several': 'どの手ですか：{moves}',

  'illegal.nopiece': '{square}に駒がありません。', 'illegal.notyours': '{square}の{piece}は相手の駒です。', 'illegal.cannotgo': '{piece}はそのようには動けません。', 'illegal.own': '{square}には自分の駒があります。', 'illegal.blocked': '{square}の駒が邪魔をしています。',
  'illegal.staysincheck': '王手放置です。王手を防いでください。', 'illegal.exposes': 'この駒を動かすと自玉に王手がかかります（王手放置）。', 'illegal.intocheck': '{square}には相手の駒が利いています。',
  'illegal.nohand': '持駒に{piece}がありません。', 'illegal.occupied': '{square}には駒があります。空いたマスに打ってください。', 'illegal.twopawns': '二歩です。この筋にはもう自分の歩があります。', 'illegal.deadend': '行き所のない駒です。{square}の{piece}は動けません。', 'illegal.dropmate': '打ち歩詰めです。',
  'illegal.nopromotion': 'この駒は成れません。', 'illegal.notincamp': '成れるのは敵陣に入る、出る、敵陣の中で動くときです。', 'illegal.mustpromote': '{square}では{piece}は成らなければなりません（行き所のない駒）。', 'illegal.rule': '規則により指せません。',
  'fault.toomany': '{piece}が多すぎます。全部で{n}枚です。', 'fault.kings': '{side}の玉が{n}枚あります。', 'fault.noking': '{side}の玉がありません。', 'fault.twopawns': '{side}が{n}筋で二歩です。', 'fault.deadend': '{square}の{piece}は行き所がありません。', 'fault.check': '{side}に王手がかかっているのに相手の手番です。',

  'settings.title': '設定', 'settings.language': '言語', 'settings.theme': '配色', 'settings.pieces': '駒', 'settings.coordinates': '座標', 'settings.animation': '駒の動き', 'settings.volume': '音量', 'settings.notices': 'ライセンス',
  'theme.auto': '端末に合わせる', 'theme.light': '明るい', 'theme.dark': '暗い',
  'pieces.kanji': '二文字', 'pieces.single': '一文字', 'pieces.western': '英字',
  'coordinates.japanese': '7六', 'coordinates.western': '7f', 'coordinates.none': 'なし',

  'new.game': '種類', 'new.opponent': '相手', 'new.nue': 'Nue', 'new.engine': '他のエンジン', 'new.human': '人と', 'new.level': '強さ', 'new.movetime': '一手の時間',
  'new.humantext': '一つの盤で二人が指します。', 'new.handicap': '手合割', 'new.side': 'あなたの手番', 'new.random': 'おまかせ', 'new.clock': '持ち時間', 'new.start': '対局開始',
  'new.handicaptext': '上手が駒を落とし、先に指します。',
  'new.rules': 'ルール', 'new.declaration': '入玉', 'new.limit': '最大手数（1–{n}）',
  'declaration.auto': '通常', 'declaration.CSARule27': '27点法（先手28点）', 'declaration.CSARule27H': '27点法（駒落ち考慮）', 'declaration.CSARule24': '24点法（31点で勝ち）', 'declaration.CSARule24H': '24点法（駒落ち考慮）', 'declaration.TryRule': 'トライルール', 'declaration.NoEnteringKing': '宣言なし',
  'clock.none': 'なし', 'clock.blitz': '一手10秒', 'clock.rapid': '5分、切れたら一手15秒', 'clock.classic': '10分、切れたら一手30秒', 'clock.long': '30分、切れたら一手60秒', 'clock.fischer': '5分＋一手5秒加算（フィッシャー）', 'clock.own': '自分で決める…',
  'clock.main': '分', 'clock.byoyomi': '秒読み', 'clock.increment': '加算（秒）', 'clock.label': '残り時間',

  'play.welcome': 'Nueと将棋を指す', 'play.missing': 'この対局は見つかりません。', 'play.yours': 'あなたの対局', 'play.ownstart': '指定局面', 'play.goeson': '対局中', 'play.forget': 'この対局を消す', 'play.deleted': '対局を消しました。', 'play.plies': '{n}手',
  'play.you': 'あなた', 'play.nomoves': 'まだ指し手がありません。', 'play.moves': '指し手', 'play.turn': '{side}の番です。', 'play.queued': 'エンジンの空きを待っています…', 'play.thinking': 'Nueが考えています…',
  'play.yourturn': 'あなたの番です。', 'play.yourturncheck': '王手！あなたの番です。', 'play.hint': 'ヒント', 'play.asking': '考慮中…', 'play.hintis': '{move} はいかが', 'play.takeback': '待った', 'play.takenback': '手を戻しました',
  'play.resign': '投了', 'play.sure': '投了しますか。', 'play.declare': '入玉宣言', 'play.declaration': '入玉：{needed}点中{points}点、敵陣に{pieces}枚。',
  'play.again': 'もう一局', 'play.analyse': '検討', 'play.new': '新しい対局', 'play.save': '保存',
  'step.first': '最初へ', 'step.back': '一手戻る', 'step.forward': '一手進む', 'step.last': '最後へ',

  'ending.mate': '詰み。', 'ending.repetition': '千日手。', 'ending.perpetual_check': '連続王手の千日手。', 'ending.declaration': '入玉宣言。', 'ending.move_limit': '最大手数に達しました。',
  'ending.time': '時間切れ。', 'ending.resign': '投了。', 'ending.engine_failed': '相手のエンジンが止まりました。', 'ending.interrupted': '中断。', 'ending.impasse': '持将棋。', 'ending.draw': '引き分け合意。',
  'ending.illegal_move': '反則手。', 'ending.illegal_action': '相手の反則。', 'ending.no_mate': '不詰。', 'ending.taken_back': '待った。', 'ending.error': 'エラー。', 'ending.default_win': '不戦勝。',
  'ending.default_loss': '不戦敗。', 'ending.sealed': '封じ手。', 'ending.abandoned': '接続切れ。', 'ending.won': '勝ち。', 'ending.other': '終局。', 'ending.crash': 'エンジンが異常終了。', 'ending.stall': 'エンジンが応答なし。', 'ending.protocol': 'エンジンの通信違反。', 'ending.adjudicated_win': '判定。', 'ending.adjudicated_draw': '判定により引き分け。',
  'result.draw': '引き分け。', 'result.youwin': 'あなたの勝ちです！', 'result.youlose': 'あなたの負けです。', 'result.wins': '{side}の勝ち。',

  'score.mate': '詰', 'score.matein': '詰{n}手',
  'tool.open': '開く', 'tool.edit': '局面編集', 'tool.export': '書き出し', 'tool.mate': '詰み探索', 'analyse.end': '終局',
  'engine.label': 'エンジン', 'engine.start': '検討開始', 'engine.stop': '停止', 'engine.which': 'エンジン', 'engine.compare': '比較', 'engine.lines': '候補手', 'engine.threads': 'スレッド', 'engine.starting': '起動中…', 'engine.queued': '順番待ち、前に{n}件…',
  'engine.failed': 'エンジンが失敗しました。', 'engine.depth': '深さ {depth}/{seldepth}', 'engine.speed': '{nodes}局面、{nps}/秒', 'engine.done': '完了',
  'bar.label': '{side}の勝率 {rate}（{score}）', 'bar.none': 'まだ評価がありません',
  'tree.label': '指し手', 'tree.start': '開始局面', 'tree.comment': 'この局面へのコメント', 'tree.promote': '本譜にする', 'tree.remove': 'ここから削除',
  'graph.label': '各手の後の{side}の勝率',
  'review.title': '棋譜解析', 'review.start': '解析する', 'review.again': 'もう一度解析', 'review.by': '{engine}による解析（{effort}）', 'review.stop': '中止', 'review.effort': '解析の深さ', 'effort.quick': '速い', 'effort.normal': '標準', 'effort.deep': '深い',
  'review.finished': '解析終了：見直す手は{n}手です。', 'review.clean': '悪手は見つかりませんでした。', 'review.better': '最善：{line}', 'review.side': '手番', 'review.loss': '一手の損失',
  'grade.inaccuracy': '疑問手', 'grade.mistake': '悪手', 'grade.blunder': '大悪手',
  'mate.title': '詰み', 'mate.found': '{n}手詰', 'mate.none': 'ここに詰みはありません。', 'mate.unknown': '時間内に詰みは見つかりませんでした。', 'mate.searching': '詰みを探索中… {nodes}局面', 'mate.playout': '再生',
  'open.title': '棋譜を開く', 'open.paste': 'KIF、KI2、CSA、JKF、USI、SFENを貼り付けるか、ファイルをここへ', 'open.read': '開く', 'open.file': 'ファイルを選ぶ…', 'open.start': '開始局面', 'open.which': 'どの対局ですか', 'open.leftout': '他に{n}局あります。', 'open.problems': '{n}か所読めませんでした：{first}',
  'export.title': '棋譜を保存', 'export.format': '形式', 'export.encoding': '文字コード', 'export.text': '内容', 'export.losses': 'この形式では保存できないもの：{what}', 'export.save': 'ファイルに保存', 'export.copy': 'コピー', 'export.copied': 'コピーしました。', 'export.nocopy': 'ブラウザがコピーを許可していません。', 'export.sfen': 'この局面をコピー（SFEN）',
  'open.drop': 'ここにドロップして開く', 'headers.title': '対局情報', 'file.game': '棋譜', 'share.position': 'この局面のリンクをコピー', 'share.game': '棋譜のリンクをコピー', 'share.broken': 'このリンクには局面も棋譜もありません。',
  'help.title': 'キーボード操作', 'help.everywhere': '共通', 'help.help': 'この一覧', 'help.step': '一手戻る・進む', 'help.ends': '最初・最後へ', 'help.paste': 'クリップボードの棋譜を開く', 'help.aside': '次の変化へ', 'help.engine': 'エンジンの開始・停止',
  'help.cursor': 'マスの移動', 'help.take': '取り上げる・置く', 'help.hand': '持駒を選ぶ', 'help.letgo': '取り消し', 'help.mouse': '盤上のマウスホイールで手を進めたり戻したりできます。ファイルはページのどこにでもドロップできます。', 'help.letters': '一文字のショートカット',
  'editor.undo': '元に戻す', 'editor.rest': '残りを守備側の持駒に', 'editor.turnpiece': '成り・向きを変える', 'editor.more': '{piece}：{n}枚、一枚増やす', 'editor.fewer': '{piece}を一枚減らす', 'editor.title': '局面を編集', 'editor.pieces': '置く駒', 'editor.move': '駒を動かす', 'editor.erase': '駒を消す', 'editor.hand': '{side}の持駒', 'editor.turn': '手番', 'editor.preset': '元にする局面', 'editor.analyse': '検討する', 'editor.play': 'ここから指す', 'editor.empty': '盤を空にする',
  'editor.text': '駒は一覧や盤上からドラッグし、盤の外へ出すと消えます。駒を選んでマスをクリックしても置けます。右クリックで成りと向きが変わります。持駒はクリックで一枚増え、右クリックで一枚減ります。',

  'toast.label': 'お知らせ', undo: '元に戻す', redo: 'やり直す', 'pager.label': 'ページ', 'pager.before': '前のページ', 'pager.after': '次のページ', 'pager.shown': '{total}件中{from}–{to}件',
  'bin.games': '消した対局', 'bin.look': '消したもの（{n}）', 'bin.leave': '一覧に戻る', 'bin.restore': '復元', 'bin.text': '消したものは30日間残ります。', 'bin.forgood': '完全に消す', 'bin.sure': '「{name}」を完全に消しますか。元に戻せません。',
  'undone': '元に戻しました。', 'redone': 'やり直しました。', 'tree.removed': '{n}手を削除しました。',
  'study.untitled': '無題の研究', 'study.copyof': '{name}（写し）', 'study.details': '名前・フォルダー・タグ', 'study.name': '名前', 'study.folder': 'フォルダー（/ で区切る）', 'study.tags': 'タグ（コンマで区切る）', 'study.save': '保存', 'study.copied': '別の画面で変更されたため、こちらは写しとして続けます。', 'study.deleted': '「{name}」を消しました。', 'study.delete': 'この研究を消す',
  'saving.none': '未保存', 'saving.saved': '保存済み', 'saving.waiting': '保存中…', 'saving.saving': '保存中…', 'saving.failed': '保存できません。再試行中',
  'studies.title': '研究', 'studies.new': '新しい研究', 'studies.search': '名前・対局者・コメントを検索', 'studies.allfolders': 'すべてのフォルダー', 'studies.folder': 'フォルダー', 'studies.tag': 'タグ', 'studies.alltags': 'すべてのタグ', 'studies.none': '研究はまだありません。検討で開いた棋譜や並べた手はここに残ります。', 'studies.nothing': '見つかりません。', 'studies.found': '{n}件', 'studies.rename': 'フォルダー名を変える', 'studies.folderto': '新しい名前（空欄：フォルダーなし）', 'studies.moves': '{plies}手、変化を含め{moves}手', 'studies.bin': '消した研究',

  'watch.server': 'サーバー', 'watch.match': '連続対局', 'watch.learn': '学習', 'watch.fleet': '分散実行', 'watch.none.server': '観戦するサーバーがありません。起動時にデータファイルを指定してください：', 'watch.none.match': '観戦する連続対局がありません。起動時にファイルを指定してください：', 'watch.none.learn': '観察する学習がありません。起動時にフォルダーを指定してください：',
  'watch.live': '進行中', 'watch.fromfile': 'ファイルから', 'watch.running': '{n}局進行中', 'watch.connections': '接続{n}件', 'watch.games': '対局', 'watch.standings': '順位', 'watch.round': '{n}回戦', 'watch.ratings': 'レーティング', 'watch.rating': 'レート', 'watch.records': '棋譜',
  'watch.name': '名前', 'watch.points': '勝点', 'watch.solkoff': 'ソルコフ', 'watch.berger': 'SB', 'watch.moves': '手数', 'watch.end': '結果', 'watch.ended': '日時', 'watch.quiet': 'まだ何もありません。',
  'watch.pairing': '組合せ', 'watch.los': '優位の確率', 'watch.curve': '得点率の推移', 'watch.game': '局', 'watch.score': '得点率', 'watch.ngames': '{n}局', 'watch.ofgames': '{planned}局中{n}局',
  'live.title': '進行中の対局', 'live.all': '全対局を一画面で', 'live.boards': '進行中の対局：{n}局', 'live.big': '大画面', 'live.leave': '戻る', 'live.none': '進行中の対局はありません。', 'live.over': '終局しました。', 'live.used': '消費時間', 'live.opinion': 'エンジンの読み', 'live.depth': '深さ{n}', 'live.bar': '{side}の勝率 {rate}（エンジンの評価）', 'live.engineon': 'Nueにも読ませる', 'live.engineoff': 'Nueの読みを止める',
  'learn.generation': '世代', 'learn.elo': '初代からのElo', 'learn.epoch': 'エポック', 'learn.train': '訓練', 'learn.validation': '検証', 'learn.losses': '第{n}世代の損失', 'learn.loss': '損失', 'learn.current': '第{n}世代が進行中', 'learn.verdict': '判定', 'learn.accepted': '採用', 'learn.refused': '不採用', 'learn.positions': '局面', 'learn.time': '時間',
  'learn.step.gen': '自己対局', 'learn.step.train': '学習', 'learn.step.gate': '検定', 'learn.step.data': 'データ',

  'error.network': 'サーバーに接続できません。', 'error.internal': '問題が起きました。もう一度お試しください。', 'error.bad_request': 'サーバーが理解できませんでした。', 'error.bad_position': 'ありえない局面です。', 'error.illegal_move': 'その手は指せません。', 'error.not_your_turn': 'あなたの番ではありません。', 'error.game_over': '対局は終わっています。', 'error.not_found': '見つかりません。消されたか、別のブラウザのものです。', 'error.not_allowed': '今はできません。',
  'error.too_large': '大きすぎます。ファイルは{bytes}まで、棋譜は1000手までです。', 'error.too_many': '多すぎます。対局は{games}局、研究は{studies}件、検討は同時に{analyses}つまでです。何か消すか閉じてください。', 'error.too_fast': '操作が多すぎます。少しお待ちください。', 'error.forbidden': 'サーバーがこのページを拒否しました。', 'error.token_required': 'サーバーが表示したトークン付きのアドレスを開いてください。', 'error.unreadable': '棋譜として読めませんでした。', 'error.unwritable': 'この形式では保存できません。', 'error.engine_failed': 'エンジンが失敗しました。', 'error.changed_elsewhere': '別の画面で変更されています。', 'error.unavailable': '今は使えません。',
};
