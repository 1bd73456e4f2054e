//! Places of the two kings on 5×5, and the view in which each is looked up.

use rules::{Game, Square};

/// Squares of the board.
const SQUARES: usize = 25;
/// Places of two kings that cannot become each other by mirroring and turning the board.
pub const KINGS: usize = 128;

/// How to look at a board so that its kings stand where the tables know them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KingView {
    /// The place of the kings, below [`KINGS`].
    pub place: u8,
    /// Seen by White: the board is turned and the colours are exchanged.
    pub turned: bool,
    /// Mirrored left to right, after turning.
    pub mirrored: bool,
}

/// The four views, in the order in which they are preferred: turned, mirrored.
const VIEWS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

/// The kings (the viewer's, the other's) in a view.
const fn seen(black: usize, white: usize, view: (bool, bool)) -> (usize, usize) {
    let (a, b) = if view.0 { (SQUARES - 1 - white, SQUARES - 1 - black) } else { (black, white) };
    if view.1 {
        let game = Game::Minishogi;
        (Square::new(a).mirrored(game).index(), Square::new(b).mirrored(game).index())
    } else {
        (a, b)
    }
}

/// Whether kings on these squares would be on one square or side by side, which no position has.
const fn touching(a: usize, b: usize) -> bool {
    a / 5 == b / 5 && (a % 5).abs_diff(b % 5) < 2
        || (a / 5).abs_diff(b / 5) < 2 && (a % 5).abs_diff(b % 5) < 2
}

/// The preferred one of the four views: that in which the kings' squares are smallest.
const fn preferred(black: usize, white: usize) -> usize {
    let mut best = 0;
    let mut i = 1;
    while i < VIEWS.len() {
        let (a, b) = seen(black, white, VIEWS[i]);
        let (c, d) = seen(black, white, VIEWS[best]);
        if a * SQUARES + b < c * SQUARES + d {
            best = i;
        }
        i += 1;
    }
    best
}

const TABLE: [[Option<KingView>; SQUARES]; SQUARES] = {
    let mut places = [[u8::MAX; SQUARES]; SQUARES];
    let mut count = 0;
    let mut i = 0;
    while i < SQUARES * SQUARES {
        let (black, white) = (i / SQUARES, i % SQUARES);
        if !touching(black, white) && preferred(black, white) == 0 {
            places[black][white] = count;
            count += 1;
        }
        i += 1;
    }
    assert!(count as usize == KINGS);
    let mut table = [[None; SQUARES]; SQUARES];
    i = 0;
    while i < SQUARES * SQUARES {
        let (black, white) = (i / SQUARES, i % SQUARES);
        if !touching(black, white) {
            let (turned, mirrored) = VIEWS[preferred(black, white)];
            let (a, b) = seen(black, white, (turned, mirrored));
            table[black][white] = Some(KingView { place: places[a][b], turned, mirrored });
        }
        i += 1;
    }
    table
};

static PLACES: [[Option<KingView>; SQUARES]; SQUARES] = TABLE;

/// The view for kings on these squares (White's not turned); `None` if they touch or a square is
/// not on the board.
#[inline]
pub fn king_view(black: usize, white: usize) -> Option<KingView> {
    *PLACES.get(black)?.get(white)?
}

/// The views besides the plain one in which a place of the kings looks the same: (turned,
/// mirrored). Entries of its tables that such a view takes to each other mean the same.
pub fn stabilisers(place: usize) -> impl Iterator<Item = (bool, bool)> {
    let kings = (0..SQUARES * SQUARES).map(|i| (i / SQUARES, i % SQUARES)).find(|&(a, b)| {
        let plain = KingView { place: place as u8, turned: false, mirrored: false };
        king_view(a, b) == Some(plain)
    });
    VIEWS
        .into_iter()
        .skip(1)
        .filter(move |&view| kings.is_some_and(|(a, b)| seen(a, b, view) == (a, b)))
}
