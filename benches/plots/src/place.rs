//! Where bars and their names are from left to right.

use crate::data::{Figure, Group};

/// Between two groups, in slots.
const GAP: f64 = 0.7;
/// The most pixels of a slot.
const WIDEST: f64 = 90.0;

/// The place of one group.
#[derive(Debug)]
pub(crate) struct Extent {
    /// In pixels.
    pub(crate) left: f64,
    pub(crate) right: f64,
    /// The left end of its first slot; the others follow without gaps.
    pub(crate) slots: f64,
}

/// The groups' places between two pixels, and the width of a slot. A group is as wide as its slots, or as
/// the longest word of its name.
pub(crate) fn extents(figure: &Figure, from: f64, to: f64, size: f64) -> (Vec<Extent>, f64) {
    let words = |group: &Group| group.name.split(' ').map(|word| width(word, size) + 6.0).fold(0.0, f64::max);
    let words: Vec<f64> = figure.groups.iter().map(words).collect();
    let wide = |slot: f64| -> Vec<f64> {
        figure.groups.iter().zip(&words).map(|(group, word)| word.max(group.slots.len() as f64 * slot)).collect()
    };
    let gaps = (figure.groups.len() + 1) as f64 * GAP;
    let all = |slot: f64| wide(slot).iter().sum::<f64>() + gaps * slot;
    let slots: usize = figure.groups.iter().map(|group| group.slots.len()).sum();
    // The widest slots that fit; names overlap if there is no other way.
    let (mut least, mut most) = ((0.3 * (to - from) / (slots as f64 + gaps)).min(WIDEST), WIDEST);
    for _ in 0..40 {
        let middle = (least + most) / 2.0;
        if all(middle) <= to - from { least = middle } else { most = middle }
    }
    let slot = least;
    let mut left = from + (to - from - all(slot)) / 2.0 + GAP * slot;
    let mut extents = Vec::new();
    for (group, wide) in figure.groups.iter().zip(wide(slot)) {
        let slots = left + (wide - group.slots.len() as f64 * slot) / 2.0;
        extents.push(Extent { left, right: left + wide, slots });
        left += wide + GAP * slot;
    }
    (extents, slot)
}

/// About how many pixels a text is wide: which font there will be is not known.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.58
}

/// Breaks a text at spaces, into lines of some pixels where words allow.
pub(crate) fn lines(text: &str, size: f64, pixels: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + size * 0.58 <= pixels => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(rows: &str) -> Figure {
        format!("group,variant,series,value\n{rows}").parse().unwrap()
    }

    #[test]
    fn groups_are_apart_and_inside() {
        let mut many = String::from("SoA (object),,Ikra,1\n");
        for n in 0..40 {
            many += &format!("SoA (partial),{n},Ikra,1\n");
        }
        many += "unabbreviated,,Ikra,1\n";
        for rows in ["a,,Ikra,1", "a,,Ikra,1\nb,,Ikra,1", &many] {
            let (extents, slot) = extents(&figure(rows), 80.0, 1180.0, 13.0);
            assert!(slot <= WIDEST && slot > 5.0);
            assert!(extents.windows(2).all(|pair| pair[0].right < pair[1].left));
            assert!(extents[0].left > 80.0 && extents.last().unwrap().right < 1180.0);
            assert!(extents.iter().all(|extent| extent.slots >= extent.left - 0.1));
        }
        let (extents, _) = extents(&figure(&many), 80.0, 1180.0, 13.0);
        assert!(extents[2].right - extents[2].left >= width("unabbreviated", 13.0), "room for the name");
    }

    #[test]
    fn texts_are_broken_at_spaces() {
        assert_eq!(lines("SoA (partial)", 10.0, 100.0), ["SoA (partial)"]);
        assert_eq!(lines("SoA (partial)", 10.0, 60.0), ["SoA", "(partial)"]);
        assert_eq!(lines("unabbreviated", 10.0, 1.0), ["unabbreviated"]);
        assert_eq!(lines("", 10.0, 60.0), [""; 0]);
    }
}
