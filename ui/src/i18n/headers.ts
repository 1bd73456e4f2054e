// Headers of records: the names KIF has for them, which is what the server sends, and ours.

export const BLACK = '先手';
export const WHITE = '後手';
export const STARTED = '開始日時';
export const DAY = '対局日';

export const HEADERS: Record<string, { en: string; ja: string }> = {
  [BLACK]: { en: 'Black', ja: '先手' }, [WHITE]: { en: 'White', ja: '後手' },
  棋戦: { en: 'Event', ja: '棋戦' }, 場所: { en: 'Place', ja: '場所' },
  [STARTED]: { en: 'Started', ja: '開始日時' }, 終了日時: { en: 'Ended', ja: '終了日時' }, [DAY]: { en: 'Date', ja: '対局日' },
  持ち時間: { en: 'Time', ja: '持ち時間' }, 秒読み: { en: 'Byoyomi', ja: '秒読み' }, 戦型: { en: 'Opening', ja: '戦型' },
  表題: { en: 'Title', ja: '表題' }, 備考: { en: 'Remark', ja: '備考' }, 最大手数: { en: 'Move limit', ja: '最大手数' },
};

/** Those every record is asked for, beside what it has. */
export const USUAL = [BLACK, WHITE, '棋戦', STARTED, '場所', '戦型', '備考'];
