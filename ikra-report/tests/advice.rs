//! Advice on inlining against a plain `Vec` of lengths.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::report::InliningAdvice;
use proptest::prelude::*;

/// Elements that the first `slots` slots of all arrays hold.
fn held(lengths: &[usize], slots: usize) -> usize {
    lengths.iter().map(|&len| len.min(slots)).sum()
}

/// Mostly short arrays, some long ones, many equal ones.
fn lengths() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(prop_oneof![4 => 0usize..6, 2 => 0usize..70, 1 => 0usize..2000], 0..60)
}

proptest! {
    #[test]
    fn the_least_size_with_the_share_is_proposed(lengths in lengths(), percent in 0usize..=100) {
        let advice = InliningAdvice::from_lengths(lengths.iter().copied()).share(percent as f64 / 100.0);
        let all: usize = lengths.iter().sum();
        let least = (0..).find(|&slots| held(&lengths, slots) * 100 >= all * percent);
        prop_assert_eq!(Some(advice.proposed()), least);
    }

    #[test]
    fn bytes_are_counted(lengths in lengths(), slots in 0usize..2100, size in 1usize..40, power in 0u32..5) {
        let align = 1 << power;
        let choice = InliningAdvice::from_lengths(lengths.iter().copied()).element_size(size, align).choice(slots);
        let stride = size.div_ceil(align) * align;
        let (all, held) = (lengths.iter().sum::<usize>(), held(&lengths, slots));
        let empty: usize = lengths.iter().map(|&len| slots.saturating_sub(len)).sum();
        let words = if lengths.iter().any(|&len| len > slots) { 2 } else { 1 };
        prop_assert_eq!(choice.inlined, slots);
        prop_assert_eq!(choice.inlined_bytes, (lengths.len() * slots * stride) as u64);
        prop_assert_eq!(choice.used_bytes, (held * stride) as u64);
        prop_assert_eq!(choice.wasted_bytes, (empty * stride) as u64);
        prop_assert_eq!(choice.arena_bytes, ((all - held) * stride) as u64);
        prop_assert_eq!(choice.bookkeeping_bytes, (lengths.len() * words * 4) as u64);
        prop_assert_eq!(choice.total_bytes, choice.inlined_bytes + choice.arena_bytes + choice.bookkeeping_bytes);
        if all > 0 {
            prop_assert_eq!(choice.share_of_elements, held as f64 / all as f64);
        }
        if !lengths.is_empty() {
            let whole = lengths.iter().filter(|&&len| len <= slots).count();
            prop_assert_eq!(choice.share_of_objects, whole as f64 / lengths.len() as f64);
        }
    }

    #[test]
    fn the_choices_are_all_there(lengths in lengths()) {
        let advice = InliningAdvice::from_lengths(lengths.iter().copied());
        let choices: Vec<usize> = advice.choices().iter().map(|choice| choice.inlined).collect();
        prop_assert!(choices.windows(2).all(|pair| pair[0] < pair[1]));
        let longest = lengths.iter().copied().max().unwrap_or(0);
        prop_assert_eq!((choices[0], choices[choices.len() - 1]), (0, longest));
        prop_assert!(choices.contains(&advice.proposed()));
        prop_assert!((0..11).map(|power| 1 << power).all(|slots| slots > longest || choices.contains(&slots)));
        let mut sorted = lengths;
        sorted.sort_unstable();
        for percent in [50, 80, 90, 95, 99] {
            let rank = (sorted.len() * percent).div_ceil(100);
            prop_assert!(rank == 0 || choices.contains(&sorted[rank - 1]), "{}", percent);
        }
    }

    #[test]
    fn the_order_and_the_way_of_counting_do_not_matter(lengths in lengths(), turn in any::<prop::sample::Index>()) {
        let mut turned = lengths.clone();
        if !turned.is_empty() {
            let by = turn.index(turned.len());
            turned.rotate_left(by);
        }
        let counted: Vec<(usize, u64)> = turned.iter().map(|&len| (len, 1)).chain([(3000, 0)]).collect();
        prop_assert_eq!(InliningAdvice::from_lengths(lengths), InliningAdvice::from_histogram(&counted));
    }

    #[test]
    fn no_numbers_are_too_large(
        histogram in prop::collection::vec(any::<(usize, u64)>(), 0..20),
        size in any::<usize>(),
        align in any::<usize>(),
    ) {
        let advice = InliningAdvice::from_histogram(&histogram).element_size(size, align);
        let longest = histogram.iter().filter(|pair| pair.1 > 0).map(|pair| pair.0).max().unwrap_or(0);
        prop_assert!(advice.proposed() <= longest);
        prop_assert!(advice.to_string().lines().count() > advice.choices().len());
    }

    #[test]
    fn shares_grow_with_the_slots(lengths in lengths()) {
        let choices = InliningAdvice::from_lengths(lengths).choices();
        for pair in choices.windows(2) {
            prop_assert!(pair[0].share_of_elements < pair[1].share_of_elements);
            prop_assert!(pair[0].share_of_objects <= pair[1].share_of_objects);
        }
        prop_assert_eq!(choices[choices.len() - 1].share_of_elements, 1.0);
    }
}
