//! The words of a long text with letters of several bytes, which is split where words end.

use crate::random::Random;
use crate::sampling::Case;
use rayon::iter::ParallelIterator;
use rayon::str::ParallelString;
use std::hint::black_box;
use suite::program::{Problem, check};

const WORDS: usize = 300_000;
const LONGEST: u64 = 11;
/// Of one, two and three bytes.
const LETTERS: [char; 8] = ['a', 'e', 'n', 's', 't', 'r', 'ü', '€'];

/// What ends a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Any white space, of any length.
    WhiteSpace,
    /// A space.
    Space,
    /// A space, as a closure finds it.
    Closure,
}

/// How many there are, and all their bytes.
type Sums = (usize, usize);

fn both(a: Sums, b: Sums) -> Sums {
    (a.0 + b.0, a.1 + b.1)
}

fn of_word(word: &str) -> Sums {
    (1, word.len())
}

fn is_space(letter: char) -> bool {
    letter == ' '
}

/// A text and the last answer.
pub struct Words {
    end: End,
    text: String,
    expected: Sums,
    answer: Sums,
}

impl Words {
    /// Of random words. White space has other kinds and lengths than a space where it ends words.
    pub fn new(end: End) -> Self {
        let mut random = Random::new(8);
        let (mut text, mut bytes) = (String::new(), 0);
        for number in 0..WORDS {
            if number > 0 {
                text.push_str(match (end, random.below(20)) {
                    (End::WhiteSpace, 0) => "\r\n",
                    (End::WhiteSpace, 1) => "\u{2003}\t ",
                    _ => " ",
                });
            }
            let before = text.len();
            for _ in 0..=random.below(LONGEST) {
                text.push(LETTERS[random.below(LETTERS.len() as u64) as usize]);
            }
            bytes += text.len() - before;
        }
        Self {
            end,
            text,
            expected: (WORDS, bytes),
            answer: (0, 0),
        }
    }
}

impl Case for Words {
    fn prepare(&mut self) {
        self.answer = (0, 0);
    }

    fn parallel(&mut self) {
        let text = black_box(self.text.as_str());
        let none = || (0, 0);
        self.answer = match self.end {
            End::WhiteSpace => text.par_split_whitespace().map(of_word).reduce(none, both),
            End::Space => text.par_split(' ').map(of_word).reduce(none, both),
            End::Closure => text.par_split(is_space).map(of_word).reduce(none, both),
        };
    }

    fn serial(&mut self) {
        let text = black_box(self.text.as_str());
        self.answer = match self.end {
            End::WhiteSpace => text.split_whitespace().map(of_word).fold((0, 0), both),
            End::Space => text.split(' ').map(of_word).fold((0, 0), both),
            End::Closure => text.split(is_space).map(of_word).fold((0, 0), both),
        };
    }

    fn check(&self) -> Result<(), Problem> {
        check("the count of words", self.expected.0, self.answer.0)?;
        check("their bytes", self.expected.1, self.answer.1)
    }
}
